import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { LociError } from '../../src/core/errors.ts';
import { openStore } from '../../src/store/registry.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { Store } from '../../src/store/store.ts';
import { ALL_LIVE, CHUNKING, note } from '../contract/store-samples.ts';
import { findPrograms, type Programs } from './server.ts';

export const NAMESPACE = 'faults';

/** The programs of PostgreSQL for tests of faults, which PGlite cannot have. */
export function requirePrograms(): Programs {
  const programs = findPrograms();
  if (programs === null) throw new Error('These tests need a server: see `installPostgres`.');
  return programs;
}

/** Opens a store, which is closed with the resources. */
export async function open(connectionString: string, resources: AsyncDisposableStack): Promise<Store> {
  const store = await openStore({ path: 'loci.db', connectionString }, { create: true });
  resources.defer(() => store.close());
  return store;
}

export function commit(store: Store, key: string): Promise<number[]> {
  const write = note(`text of ${key}`, { uuid: randomUUID(), key, source: 'faults', origin: 'source' });
  return store.records.commit(NAMESPACE, { writes: [write], evictions: [], chunking: CHUNKING });
}

/** The keys that the store has. */
export async function keysOf(store: Store): Promise<string[]> {
  const records = await store.records.list(
    NAMESPACE,
    { filter: { ...ALL_LIVE, now: 0 } },
    { after: null, limit: 10_000 },
  );
  return records.map(({ key }) => key!).sort();
}

/** Writes of which some may fail. */
export class Writes {
  readonly answered: string[] = [];
  readonly failed: string[] = [];
  readonly errors: unknown[] = [];

  commit(store: Store, key: string): Promise<void> {
    return this.count(key, () => commit(store, key));
  }

  async count(key: string, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
      this.answered.push(key);
    } catch (error) {
      this.failed.push(key);
      this.errors.push(error);
    }
  }

  /** Writes one record after the other until the signal fires. */
  async commitUntil(store: Store, prefix: string, signal: AbortSignal): Promise<void> {
    for (let n = 0; !signal.aborted; n++) await this.commit(store, `${prefix} ${String(n)}`);
  }

  /** Compares what was answered with what is there: no answered write is lost, and none is there twice. */
  async expectKept(store: Store): Promise<void> {
    const { answered, failed, errors } = this;
    expect(errors.filter((error) => !(error instanceof LociError))).toEqual([]);
    const keys = await keysOf(store);
    expect(keys).toEqual([...new Set(keys)]);
    expect(answered.filter((key) => !keys.includes(key))).toEqual([]);
    expect(keys.filter((key) => !answered.includes(key) && !failed.includes(key))).toEqual([]);
    for (const namespace of [ADMIN_NAMESPACE, NAMESPACE])
      expect(await store.admin.verify(namespace)).toEqual([]);
  }
}
