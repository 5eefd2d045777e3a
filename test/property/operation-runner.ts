import { LociError } from '../../src/core/errors.ts';
import type { AuditDraft } from '../../src/store/admin-model.ts';
import type { Oracle } from '../oracle/oracle.ts';
import { chunkCurrentRecords, chunkedRecord, NOW } from '../contract/store-samples.ts';
import { DIMENSIONS, type RecordRef } from './arbitraries.ts';
import type { Operation } from './store-operations.ts';
import { vectorOf } from './store-queries.ts';

const UNKNOWN_ID = 1_000_000;

export type Outcome = { readonly value: unknown } | { readonly error: string };

async function outcomeOf(call: Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await call };
  } catch (error) {
    return { error: error instanceof LociError ? error.code : String(error) };
  }
}

/** Applies operations to one store. References to records become ids, which are the same in both stores. */
export class OperationRunner {
  readonly #store: Oracle;
  readonly #written = new Map<string, number[]>();
  /** The records deleted last are first. */
  readonly #deleted = new Map<string, number[]>();

  constructor(store: Oracle) {
    this.#store = store;
  }

  async run(operation: Operation): Promise<Outcome> {
    return outcomeOf(this.#run(operation));
  }

  async #run(operation: Operation): Promise<unknown> {
    const store = this.#store;
    switch (operation.kind) {
      case 'commit':
        return this.#commit(operation);
      case 'putVectors': {
        const { namespace, generation, share } = operation;
        const passages = await store.records.passagesOf(namespace, this.#written.get(namespace) ?? []);
        const hashes = [...passages.values()].flat().map(({ hash }) => hash);
        const selected = hashes.filter((_, i) => i % share === 0);
        const dimensions = DIMENSIONS[generation - 1] ?? 0;
        return store.vectors.put(
          namespace,
          generation,
          selected.map((hash) => ({ hash, vector: vectorOf(hash, dimensions) })),
        );
      }
      case 'putPassages': {
        const ids = operation.records.map((record) => this.#idOf(operation.namespace, record));
        const passages = new Map(ids.map((id) => [id, operation.passages]));
        const current = await chunkCurrentRecords(store, operation.namespace, passages);
        const outdated = new Map(ids.map((id) => [id, chunkedRecord(undefined, operation.passages)]));
        return store.records.commit(operation.namespace, {
          chunked: operation.current ? current : outdated,
          chunking: operation.chunking,
        });
      }
      case 'indexAgain':
        return store.admin.resetDerived(operation.namespace, { text: true, vectors: operation.vectors });
      case 'markStale':
        return store.admin.resetDerived(operation.namespace, { text: false, vectors: operation.vectors });
      case 'compact':
        return store.admin.compact(operation.namespace);
      case 'purge':
        return store.records.commit(operation.namespace, { purge: operation.request });
    }
  }

  async #commit(operation: Operation & { kind: 'commit' }): Promise<number[]> {
    const { namespace, writes, evictions, restorations, audit, idempotencyKey, chunking } = operation;
    const deletions = operation.deletions.map((record, i) => ({
      id: this.#idOf(namespace, record),
      at: NOW + i - 1,
    }));
    const ids = await this.#store.records.commit(namespace, {
      writes: writes.map(({ record, ...write }) => ({
        ...write,
        id: record === null ? null : this.#idOf(namespace, record),
      })),
      evictions: evictions.map((record) => this.#idOf(namespace, record)),
      deletions,
      restorations: restorations.map(({ record, passages }) => ({
        id: idAmong(this.#deleted.get(namespace) ?? [], record),
        at: NOW + 1,
        passages,
      })),
      audit: await this.#withUuids(namespace, audit),
      ...(idempotencyKey === null ? {} : { idempotencyKey }),
      chunking,
    });
    this.#written.set(namespace, [...(this.#written.get(namespace) ?? []), ...ids]);
    this.#deleted.set(namespace, [...deletions.map(({ id }) => id), ...(this.#deleted.get(namespace) ?? [])]);
    return ids;
  }

  /** Replaces the subjects of audit entries, such as `#3`, by the UUIDs of these records. */
  async #withUuids(namespace: string, audit: readonly AuditDraft[]): Promise<AuditDraft[]> {
    const drafts: AuditDraft[] = [];
    for (const draft of audit) {
      const id = this.#idOf(namespace, Number(draft.subject?.slice(1)));
      const [record] = await this.#store.records.get(namespace, [id], 'any');
      drafts.push({ ...draft, subject: draft.subject === null ? null : (record?.uuid ?? draft.subject) });
    }
    return drafts;
  }

  #idOf(namespace: string, record: RecordRef): number {
    return idAmong(this.#written.get(namespace) ?? [], record);
  }
}

/** The id that a reference means, or one that no record has. */
function idAmong(ids: readonly number[], record: RecordRef): number {
  return record === 'unknown' ? UNKNOWN_ID : (ids[record % Math.max(ids.length, 1)] ?? UNKNOWN_ID);
}
