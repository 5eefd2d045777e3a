import type { EngineContext } from '../context.ts';

interface VerifiedLog {
  /** Entries of the namespace's own log. */
  readonly entries: number;
  /** Entries of imported logs, which are only kept. */
  readonly attached: number;
  /** Messages about entries that are missing or changed. */
  readonly faults: readonly string[];
}

/** Computes every hash of the audit log of a namespace again. */
export async function verifyLog({ store, now }: EngineContext, namespace: string): Promise<VerifiedLog> {
  const { chains, faults } = await store.admin.audit(namespace, { chains: true, faults: true });
  const lengthOf = (own: boolean): number =>
    chains.reduce((sum, chain) => sum + (chain.own === own ? chain.length : 0), 0);
  const log = { entries: lengthOf(true), attached: lengthOf(false), faults };
  if (chains.some(({ own }) => own)) return log;
  // The first write of a namespace begins its log, so written records without a log mean that the log was removed.
  const written = { now: now(), origins: ['memory' as const, 'fact' as const] };
  if ((await store.records.count(namespace, written)) === 0) return log;
  return { ...log, faults: [...faults, 'there are written records but no audit log'] };
}
