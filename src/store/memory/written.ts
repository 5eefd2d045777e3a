import type { AuditLog } from '../audit.ts';
import type { History, HistoryDraft } from '../history.ts';
import type { Leases } from '../leases.ts';
import type { Listing } from '../listing.ts';
import type { RecordLifecycle } from '../mortality.ts';
import type { StartupEntries, StartupEntry } from '../startup.ts';
import type { SearchFilter } from '../store.ts';
import { wellFormed } from '../well-formed.ts';
import { appendAudit, auditChain, auditChains, auditEntries, importAudit } from './audit.ts';
import { dropLease, takeLease } from './leases.ts';
import { countRecords, factCategories, listRecords } from './listing.ts';
import { doneOnce, heldRecords, idsOf, nextExpiry, oldestDeletion, purge } from './mortality.ts';
import { byCodePoint, change, emptyNamespace, type Namespace, type State } from './state.ts';

function within(state: State, name: string): Namespace {
  return state.namespaces.get(name) ?? emptyNamespace(name);
}

/** What agents write, how it ends, and what is noted of it. */
export function writtenCalls(open: () => State): Listing<SearchFilter> & RecordLifecycle & AuditLog {
  return {
    listRecords: async (namespace, filter, page) => listRecords(within(open(), namespace), filter, page),
    countRecords: async (namespace, filter) => countRecords(within(open(), namespace), filter),
    factCategories: async (namespace, now, recent) => factCategories(within(open(), namespace), now, recent),
    heldRecords: async (namespace, ids) => heldRecords(within(open(), namespace), ids),
    idsOf: async (namespace, uuids) => idsOf(within(open(), namespace), uuids),
    highestId: async (namespace) => within(open(), namespace).nextRecord - 1,
    nextExpiry: async (namespace) => nextExpiry(within(open(), namespace)),
    oldestDeletion: async (namespace) => oldestDeletion(within(open(), namespace)),
    purge: async (namespace, request) => {
      if (!open().namespaces.has(namespace)) return 0;
      return change(open(), namespace, (copy) => purge(copy, request));
    },
    doneOnce: async (namespace, key, now) => doneOnce(within(open(), namespace), key, now),
    auditEntries: async (namespace, filter, page) => auditEntries(within(open(), namespace), filter, page),
    auditChain: async (namespace, chain, page) => auditChain(within(open(), namespace), chain, page),
    auditChains: async (namespace) => auditChains(within(open(), namespace)),
    importAudit: async (namespace, entries) =>
      change(open(), namespace, (copy) => importAudit(copy, entries)),
    verifyAudit: async () => {
      open();
      // Nothing but this program can reach it.
      return [];
    },
  };
}

export function besideCalls(open: () => State): StartupEntries & History & Leases {
  return {
    startupEntries: async (namespace) =>
      [...within(open(), namespace).startup.values()].sort(byPriority).map((entry) => ({ ...entry })),
    putStartup: async (namespace, entries, audit) => {
      change(open(), namespace, (copy) => {
        for (const entry of entries.map(wellFormed))
          copy.startup.set(JSON.stringify([entry.agent, entry.key]), { ...entry });
        appendAudit(copy, audit);
      });
    },
    startupSeen: async (namespace, agent, session) =>
      within(open(), namespace).startupSeen.get(JSON.stringify([agent, session]))?.digest ?? null,
    noteStartupSeen: async (namespace, { agent, session, digest, at, forgetBefore, keep }) => {
      for (const name of [...open().namespaces.keys(), namespace]) {
        change(open(), name, ({ startupSeen }) => {
          for (const [who, seen] of startupSeen) if (seen.at < forgetBefore) startupSeen.delete(who);
          if (name !== namespace) return;
          startupSeen.set(JSON.stringify([agent, session]), { digest, at });
          for (const who of [...startupSeen.keys()].sort(byTime(startupSeen)).slice(keep))
            startupSeen.delete(who);
        });
      }
    },
    noteHistory: async (rows, keep) => {
      for (const { namespace, row } of rows) noteRow(open(), namespace, wellFormed(row), keep);
      forgetHistory(open(), Math.max(0, ...rows.map(({ row }) => row.at)));
    },
    history: async (namespace, category, now, { after, limit }) =>
      (within(open(), namespace).history.get(category) ?? [])
        .filter(({ id, expiresAt }) => (after === null || id < after) && expiresAt > now)
        .toReversed()
        .slice(0, limit)
        .map((row) => structuredClone(row)),
    takeLease: async (request) => takeLease(open(), request),
    dropLease: async (name, holder) => {
      dropLease(open(), name, holder);
    },
  };
}

function byPriority(a: StartupEntry, b: StartupEntry): number {
  return a.priority - b.priority || byCodePoint(a.key, b.key) || byCodePoint(a.agent, b.agent);
}

/** The session that was told last first; of the same time by agent and session. */
function byTime(seen: ReadonlyMap<string, { readonly at: number }>): (a: string, b: string) => number {
  const nameOf = (who: string): readonly string[] => JSON.parse(who) as string[];
  return (a, b) => {
    const [[agentA = '', sessionA = ''], [agentB = '', sessionB = '']] = [nameOf(a), nameOf(b)];
    const later = (seen.get(b)?.at ?? 0) - (seen.get(a)?.at ?? 0);
    return later || byCodePoint(agentA, agentB) || byCodePoint(sessionA, sessionB);
  };
}

function noteRow(state: State, namespace: string, row: HistoryDraft, keep: number): void {
  change(state, namespace, ({ history }) => {
    const rows = history.get(row.category) ?? [];
    const id = (rows.at(-1)?.id ?? 0) + 1;
    history.set(
      row.category,
      [...rows, { ...structuredClone(row), id }].filter((each) => each.id > id - keep),
    );
  });
}

function forgetHistory(state: State, now: number): void {
  for (const { name } of state.namespaces.values()) {
    change(state, name, ({ history }) => {
      for (const [category, rows] of history)
        history.set(
          category,
          rows.filter(({ expiresAt }) => expiresAt > now),
        );
    });
  }
}
