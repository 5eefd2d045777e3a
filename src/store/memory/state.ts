import type { LociRecord, Passage, Timestamp } from '../../core/types.ts';
import type { AuditEntry } from '../audit.ts';
import type { HistoryCategory, HistoryRow } from '../history.ts';
import type { IdempotentResult, IdempotencyKey } from '../mortality.ts';
import type { StartupEntry } from '../startup.ts';
import type { SourceState } from '../source-states.ts';
import type { Generation } from '../embeddings.ts';
import { indexPassage, type IndexedPassage } from '../lexical/text-fields.ts';
import type { StoredToken } from '../tokens.ts';

export interface HeldRecord {
  readonly record: LociRecord;
  /** Which chunking made the passages; `null`: none yet. */
  readonly chunking: string | null;
}

export interface HeldPassage {
  readonly id: number;
  readonly record: number;
  readonly passage: Passage;
  readonly indexed: IndexedPassage;
}

export interface Namespace {
  readonly name: string;
  nextRecord: number;
  readonly records: Map<number, HeldRecord>;
  /** By id, in the order of ids. */
  readonly passages: Map<number, HeldPassage>;
  /** By generation, then by content hash. */
  readonly vectors: Map<number, Map<string, Float32Array>>;
  /** By source. */
  readonly sources: Map<string, SourceState>;
  /** By chain, its own first; each in order. */
  readonly audit: Map<string, readonly AuditEntry[]>;
  /** The chain that is its own. */
  ownChain: string | null;
  /** By idempotency key. */
  readonly done: Map<string, IdempotencyKey & IdempotentResult>;
  /** By agent and key, as JSON. */
  readonly startup: Map<string, StartupEntry>;
  /** By agent and session, as JSON. */
  readonly startupSeen: Map<string, { readonly digest: string; readonly at: Timestamp }>;
  /** By category, oldest first. */
  readonly history: Map<HistoryCategory, readonly HistoryRow[]>;
}

/** By id. */
export type HeldTokens = Map<string, StoredToken>;

export interface State {
  readonly namespaces: Map<string, Namespace>;
  readonly generations: Generation[];
  readonly leases: Map<
    string,
    { readonly holder: string; readonly token: number; readonly until: Timestamp }
  >;
  nextPassage: number;
  readonly tokens: HeldTokens;
}

export function emptyState(): State {
  return {
    namespaces: new Map(),
    generations: [],
    leases: new Map(),
    nextPassage: 1,
    tokens: new Map(),
  };
}

export function emptyNamespace(name: string): Namespace {
  return {
    name,
    nextRecord: 1,
    records: new Map(),
    passages: new Map(),
    vectors: new Map(),
    sources: new Map(),
    audit: new Map(),
    ownChain: null,
    done: new Map(),
    startup: new Map(),
    startupSeen: new Map(),
    history: new Map(),
  };
}

/** All of the work or none of it: it is done on a copy, which takes the namespace's place when nothing was thrown. */
export function change<Result>(
  state: State,
  name: string,
  work: (namespace: Namespace, nextPassage: () => number) => Result,
): Result {
  const before = state.namespaces.get(name) ?? emptyNamespace(name);
  const copy: Namespace = {
    ...before,
    records: new Map(before.records),
    passages: new Map(before.passages),
    vectors: new Map([...before.vectors].map(([generation, vectors]) => [generation, new Map(vectors)])),
    sources: new Map(before.sources),
    audit: new Map(before.audit),
    done: new Map(before.done),
    startup: new Map(before.startup),
    startupSeen: new Map(before.startupSeen),
    history: new Map(before.history),
  };
  let { nextPassage } = state;
  const result = work(copy, () => nextPassage++);
  state.namespaces.set(name, copy);
  state.nextPassage = nextPassage;
  return result;
}

/** Puts passages in place of those that a record has. */
export function replacePassages(
  namespace: Namespace,
  record: LociRecord,
  passages: readonly Passage[],
  nextPassage: () => number,
): void {
  dropPassages(namespace, record.id);
  for (const given of passages) {
    const id = nextPassage();
    const passage = structuredClone(given);
    namespace.passages.set(id, { id, record: record.id, passage, indexed: indexPassage(record, passage) });
  }
}

export function dropPassages(namespace: Namespace, record: number): void {
  for (const held of passagesOfRecord(namespace, record)) namespace.passages.delete(held.id);
}

/** In the order of ids. */
export function passagesOfRecord(namespace: Namespace, record: number): HeldPassage[] {
  return [...namespace.passages.values()].filter((held) => held.record === record);
}

/** The order in which every store lists names: that of the code points. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
