import { LociError } from '../../src/core/errors.ts';
import type { Origin } from '../../src/core/types.ts';
import type { AuditCursor, AuditEntry, AuditFilter, NamespaceStats } from '../../src/store/admin-model.ts';
import {
  brokenLink,
  CHAIN_START,
  diffText,
  isSameEntry,
  notOurs,
} from '../../src/store/rules/audit-chain.ts';
import { isLeaseHeld } from '../../src/store/rules/leases.ts';
import type { StoreAdmin } from '../../src/store/store.ts';
import { wordCounts } from './search.ts';
import { byCodePoint, type Namespace, type OracleState, recordsOf } from './state.ts';

export type OracleAdmin = Omit<StoreAdmin, 'verify' | 'verifyAudit' | 'addToken' | 'tokens' | 'revokeToken'>;

export function adminCalls(state: OracleState): OracleAdmin {
  return {
    ...auditCalls(state),
    namespaces: async () =>
      state.namespaces.filter(({ records }) => records.size > 0).map(({ name }) => name),
    stats: async () => ({ bytes: 0, schemaVersion: 0, namespaces: state.namespaces.map(statsOf) }),
    sweep: async (name) => {
      if (state.isWritten(name)) state.change(name, sweep);
    },
    resetDerived: async (name, { drop, vectors }) => {
      if (!state.isWritten(name)) return;
      state.change(name, (namespace) => {
        if (drop) namespace.passages.clear();
        for (const [id, each] of namespace.records) namespace.records.set(id, { ...each, chunking: null });
        if (vectors) namespace.vectors.clear();
      });
    },
    history: async (name, { category, now, order = 'newest' }, { after, limit }) => {
      const rows = (state.read(name).history.get(category) ?? []).filter(({ expiresAt }) => expiresAt > now);
      const ordered = order === 'newest' ? rows.toReversed() : rows;
      const behind = ordered.filter(
        ({ id }) => after === null || (order === 'newest' ? id < after : id > after),
      );
      return structuredClone(behind.slice(0, limit));
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
function sweep({ passages, vectors }: Namespace): void {
  const used = new Set([...passages.values()].map(({ passage }) => passage.hash));
  const all = [...vectors.values()].flatMap((generation) => [...generation.keys()]);
  const unused = all.filter((hash) => !used.has(hash));
  if (unused.length * 10 <= all.length) return;
  for (const generation of vectors.values()) for (const hash of unused) generation.delete(hash);
}

function auditCalls(
  state: OracleState,
): Pick<OracleAdmin, 'auditEntries' | 'auditChain' | 'auditChains' | 'importAudit'> {
  return {
    auditEntries: async (name, filter, { after, limit }) =>
      [...state.read(name).audit.values()]
        .flat()
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
    importAudit: async (name, entries) =>
      state.change(
        name,
        (namespace) => entries.filter((entry) => importEntry(namespace, structuredClone(entry))).length,
      ),
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
  return b.at - a.at || byCodePoint(b.chain, a.chain) || b.seq - a.seq;
}

/** Whether the entry is new. */
function importEntry(namespace: Namespace, entry: AuditEntry): boolean {
  const chain = namespace.audit.get(entry.chain) ?? [];
  const present = chain[entry.seq - 1];
  if (present !== undefined) {
    if (isSameEntry(present, entry)) return false;
    throw new LociError('conflict', `entry ${String(entry.seq)} differs`);
  }
  if (entry.chain === namespace.ownChain) throw notOurs(entry);
  const broken = brokenLink(entry, diffText(entry.diff), chain.length, chain.at(-1)?.hash ?? CHAIN_START);
  if (broken !== null) throw new LociError('invalid_input', broken);
  namespace.audit.set(entry.chain, [...chain, entry]);
  return true;
}
