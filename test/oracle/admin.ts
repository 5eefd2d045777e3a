import { emptyConcepts } from './concepts.ts';
import { emptyGraph } from './graph-state.ts';
import { NO_PROGRESS, byCodePoint, type Namespace, type OracleState, recordsOf } from './state.ts';
import type { Origin } from '../../src/core/types.ts';
import type { AuditCursor, AuditEntry, AuditFilter, NamespaceStats } from '../../src/store/admin-model.ts';
import { CHAIN_START, neverWritten, newEntries } from '../../src/store/rules/audit-chain.ts';
import { isLeaseHeld } from '../../src/store/rules/leases.ts';
import type { StoreAdmin } from '../../src/store/store.ts';
import { wordCounts } from './search.ts';

export type OracleAdmin = Omit<StoreAdmin, 'verify' | 'verifyAudit' | 'addToken' | 'tokens' | 'revokeToken'>;

export function adminCalls(state: OracleState): OracleAdmin {
  return {
    ...auditCalls(state),
    namespaces: async () =>
      state.namespaces.filter(({ records }) => records.size > 0).map(({ name }) => name),
    stats: async () => ({ bytes: 0, schemaVersion: 0, namespaces: state.namespaces.map(statsOf) }),
    compact: async (name) => {
      if (state.isWritten(name)) state.change(name, compact);
    },
    resetDerived: async (name, { drop, vectors }) => {
      if (!state.isWritten(name)) return;
      state.change(name, (namespace) => {
        if (drop) namespace.passages.clear();
        for (const [id, each] of namespace.records) namespace.records.set(id, { ...each, chunking: null });
        if (vectors) namespace.vectors.clear();
        namespace.belongsTo.clear();
        namespace.belongsToProgress = NO_PROGRESS;
        Object.assign(namespace.graph, emptyGraph());
        Object.assign(namespace.concepts, emptyConcepts());
      });
    },
    history: async (name, { category, now, order = 'newest' }, { after, limit }) => {
      const rows = (state.read(name).history.get(category) ?? []).filter(({ expiresAt }) => expiresAt > now);
      const ordered = order === 'newest' ? rows.toReversed() : rows;
      const rest = ordered.filter(
        ({ id }) => after === null || (order === 'newest' ? id < after : id > after),
      );
      return structuredClone(rest.slice(0, limit));
    },
    takeLease: async (name, request) => {
      const current = state.lease(name, request.name);
      const isRenewal = current?.holder === request.holder;
      if (current !== undefined && !isRenewal && isLeaseHeld(current.until, request)) return null;
      const token = (current?.token ?? 0) + (isRenewal ? 0 : 1);
      state.setLease(name, request.name, { holder: request.holder, token, until: request.until });
      return token;
    },
    dropLease: async (name, lease, holder) => {
      const current = state.lease(name, lease);
      if (current?.holder === holder) state.setLease(name, lease, { ...current, until: 0 });
    },
    leaseHolder: async (name, lease, now) => {
      const current = state.lease(name, lease);
      return current !== undefined && current.until > now ? current.holder : null;
    },
  };
}

function statsOf(namespace: Namespace): NamespaceStats {
  const all = recordsOf(namespace);
  const live = all.filter(({ deletedAt }) => deletedAt === null);
  const byOrigin = new Map<Origin, number>();
  const bySource = new Map<string, number>();
  for (const { origin, source } of live) {
    byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + 1);
    bySource.set(source, (bySource.get(source) ?? 0) + 1);
  }
  return {
    namespace: namespace.name,
    records: live.length,
    deleted: all.length - live.length,
    passages: namespace.passages.size,
    terms: wordCounts(namespace).size,
    vectors: [...namespace.vectors.values()].reduce((sum, vectors) => sum + vectors.size, 0),
    byOrigin: Object.fromEntries(byOrigin),
    bySource: Object.fromEntries(bySource),
  };
}

/** Removes vectors that no passage uses if they are more than a tenth. */
function compact({ passages, vectors }: Namespace): void {
  const used = new Set([...passages.values()].map(({ passage }) => passage.hash));
  const all = [...vectors.values()].flatMap((generation) => [...generation.keys()]);
  const unused = all.filter((hash) => !used.has(hash));
  if (unused.length * 10 <= all.length) return;
  for (const generation of vectors.values()) for (const hash of unused) generation.delete(hash);
}

function auditCalls(
  state: OracleState,
): Pick<OracleAdmin, 'auditEntries' | 'auditChain' | 'auditChains' | 'attachAudit'> {
  return {
    auditEntries: async (name, filter, { after, limit }) =>
      ownEntries(state.read(name))
        .filter((entry) => admitsEntry(entry, filter) && (after === null || newestFirst(after, entry) < 0))
        .sort(newestFirst)
        .slice(0, limit)
        .map((entry) => structuredClone(entry)),
    auditChain: async (name, chain, { after, limit }) => {
      const entries = state.read(name).audit.get(chain) ?? [];
      return structuredClone(entries.filter(({ seq }) => seq > (after ?? 0)).slice(0, limit));
    },
    auditChains: async (name) => {
      const { audit, ownChain } = state.read(name);
      return [...audit]
        .map(([chain, { length }]) => ({ chain, own: chain === ownChain, length }))
        .sort((a, b) => Number(b.own) - Number(a.own) || byCodePoint(a.chain, b.chain));
    },
    attachAudit: async (name, entries) =>
      state.change(name, (namespace) => attachAll(namespace, structuredClone(entries))),
  };
}

function admitsEntry(entry: AuditEntry, filter: AuditFilter): boolean {
  const { subject, action, actor, surface, from, until } = filter;
  return (
    (subject === undefined || entry.subject === subject) &&
    (action === undefined || entry.action === action) &&
    (actor === undefined || entry.actor === actor) &&
    (surface === undefined || entry.surface === surface) &&
    (from === undefined || entry.at >= from) &&
    (until === undefined || entry.at < until)
  );
}

function newestFirst(a: AuditCursor, b: AuditCursor): number {
  return b.at - a.at || b.seq - a.seq;
}

function ownEntries({ audit, ownChain }: Namespace): AuditEntry[] {
  return ownChain === null ? [] : (audit.get(ownChain) ?? []);
}

/** Returns how many of the entries are new. */
function attachAll(namespace: Namespace, entries: readonly AuditEntry[]): number {
  let added = 0;
  for (const [chain, links] of Map.groupBy(entries, (entry) => entry.chain))
    added += attach(namespace, chain, links);
  return added;
}

function attach(namespace: Namespace, chain: string, entries: readonly AuditEntry[]): number {
  const existing = namespace.audit.get(chain) ?? [];
  const end = { length: existing.length, head: existing.at(-1)?.hash ?? CHAIN_START };
  const added = newEntries(entries, end, existing);
  if (chain === namespace.ownChain && added[0] !== undefined) throw neverWritten(added[0]);
  if (added.length > 0) namespace.audit.set(chain, [...existing, ...added]);
  return added.length;
}
