import { LociError } from '../../src/core/errors.ts';
import type { LociRecord, Passage, Timestamp } from '../../src/core/types.ts';
import type {
  AuditEntry,
  HistoryCategory,
  HistoryRow,
  SourceState,
  StartupEntry,
} from '../../src/store/admin-model.ts';
import { indexPassage, type IndexedPassage } from '../../src/store/lexical/text-fields.ts';
import type { BelongsTo, BelongsToProgress, NoteOfDocument } from '../../src/store/belongs-to-model.ts';
import { emptyConcepts, type OracleConcepts, removeConcepts } from './concepts.ts';
import { emptyGraph, type OracleGraph, removeFromGraph } from './graph-state.ts';
import type { ConceptChange } from '../../src/store/concept-model.ts';
import type { ChangeKind, IdempotencyKey, IdempotentResult, RecordChange } from '../../src/store/model.ts';
import type { StoredGoldenQuery } from '../../src/store/golden-model.ts';
import type { StoredLabel, StoredReceipt } from '../../src/store/receipt-model.ts';
import type { Generation, RecordHeader } from '../../src/store/search-model.ts';

/** A record with the signature of the chunking that made its passages; `null` if there is none. */
export interface OracleRecord {
  readonly record: LociRecord;
  readonly chunking: string | null;
}

export interface OraclePassage {
  readonly id: number;
  readonly record: number;
  readonly passage: Passage;
  readonly indexed: IndexedPassage;
}

export interface Lease {
  readonly holder: string;
  readonly token: number;
  readonly until: Timestamp;
}

export interface Namespace {
  readonly name: string;
  nextRecord: number;
  readonly records: Map<number, OracleRecord>;
  readonly passages: Map<number, OraclePassage>;
  /** By generation, then by content hash. */
  readonly vectors: Map<number, Map<string, Float32Array>>;
  readonly sources: Map<string, SourceState>;
  /** The entries of each chain, in order. */
  readonly audit: Map<string, AuditEntry[]>;
  ownChain: string | null;
  readonly idempotent: Map<string, IdempotencyKey & IdempotentResult>;
  /** By agent and key, as JSON. */
  readonly startup: Map<string, StartupEntry>;
  /** By agent and session, as JSON. */
  readonly digests: Map<string, { readonly digest: string; readonly at: Timestamp }>;
  /** Oldest first. */
  readonly history: Map<HistoryCategory, HistoryRow[]>;
  /** The last change of each record, oldest first. */
  readonly changes: Map<number, RecordChange>;
  lastChange: number;
  /** By document, best note first. */
  readonly belongsTo: Map<number, (NoteOfDocument & Pick<BelongsTo, 'position'>)[]>;
  belongsToProgress: BelongsToProgress;
  readonly graph: OracleGraph;
  readonly concepts: OracleConcepts;
  readonly conceptChanges: Map<string, ConceptChange>;
  readonly receipts: Map<string, StoredReceipt>;
  /** By receipt and record, as JSON. */
  readonly labels: Map<string, StoredLabel>;
  readonly goldenQueries: Map<string, StoredGoldenQuery>;
}

/** The edges of documents before they are derived. */
export const NO_PROGRESS: BelongsToProgress = { upTo: 0, excludedSources: [], pass: null };

function emptyNamespace(name: string): Namespace {
  return {
    name,
    nextRecord: 1,
    records: new Map(),
    passages: new Map(),
    vectors: new Map(),
    sources: new Map(),
    audit: new Map(),
    ownChain: null,
    idempotent: new Map(),
    startup: new Map(),
    digests: new Map(),
    history: new Map(),
    changes: new Map(),
    lastChange: 0,
    belongsTo: new Map(),
    belongsToProgress: NO_PROGRESS,
    graph: emptyGraph(),
    concepts: emptyConcepts(),
    conceptChanges: new Map(),
    receipts: new Map(),
    labels: new Map(),
    goldenQueries: new Map(),
  };
}

/** The state of the oracle, in plain maps. */
export class OracleState {
  readonly generations: Generation[] = [];
  lastGeneration = 0;
  readonly #namespaces = new Map<string, Namespace>();
  /** By namespace and name, as JSON. */
  readonly #leases = new Map<string, Lease>();
  #nextPassage = 1;

  /** The namespaces that were written, by name. */
  get namespaces(): Namespace[] {
    return [...this.#namespaces.values()].sort((a, b) => byCodePoint(a.name, b.name));
  }

  isWritten(name: string): boolean {
    return this.#namespaces.has(name);
  }

  lease(namespace: string, name: string): Lease | undefined {
    return this.#leases.get(JSON.stringify([namespace, name]));
  }

  setLease(namespace: string, name: string, lease: Lease): void {
    this.#leases.set(JSON.stringify([namespace, name]), lease);
  }

  /** Removes the vectors of a generation in all namespaces. Returns their number. */
  removeVectors(generation: number): number {
    let removed = 0;
    for (const { vectors } of this.#namespaces.values()) {
      removed += vectors.get(generation)?.size ?? 0;
      vectors.delete(generation);
    }
    return removed;
  }

  read(name: string): Namespace {
    return this.#namespaces.get(name) ?? emptyNamespace(name);
  }

  /** Applies a change completely or not at all: it works on a copy, which replaces the namespace unless the change throws. */
  change<Result>(name: string, apply: (namespace: Namespace, nextPassage: () => number) => Result): Result {
    const copy = structuredClone(this.read(name));
    let next = this.#nextPassage;
    const result = apply(copy, () => next++);
    this.#namespaces.set(name, copy);
    this.#nextPassage = next;
    return result;
  }

  generation(id: number): Generation {
    const found = this.generations.find((generation) => generation.id === id);
    if (found === undefined) throw new LociError('not_found', `no generation ${String(id)}`);
    return found;
  }
}

export function recordsOf(namespace: Namespace): LociRecord[] {
  return [...namespace.records.values()].map(({ record }) => record).sort((a, b) => a.id - b.id);
}

export function passagesOf(namespace: Namespace, record: number): OraclePassage[] {
  return [...namespace.passages.values()]
    .filter((each) => each.record === record)
    .sort((a, b) => a.passage.ordinal - b.passage.ordinal);
}

export function setPassages(
  namespace: Namespace,
  record: LociRecord,
  passages: readonly Passage[],
  nextPassage: () => number,
): void {
  for (const { id } of passagesOf(namespace, record.id)) namespace.passages.delete(id);
  for (const passage of passages) {
    const id = nextPassage();
    namespace.passages.set(id, { id, record: record.id, passage, indexed: indexPassage(record, passage) });
  }
}

export function noteChange(namespace: Namespace, record: number, kind: ChangeKind): void {
  namespace.changes.delete(record);
  namespace.changes.set(record, { sequence: ++namespace.lastChange, record, kind });
  if (kind === 'written') return;
  removeFromGraph(namespace.graph, record);
  removeConcepts(namespace, record);
  namespace.belongsTo.delete(record);
  for (const [document, notes] of namespace.belongsTo)
    namespace.belongsTo.set(
      document,
      notes.filter(({ note }) => note !== record),
    );
}

export function headerOf(record: LociRecord): RecordHeader {
  const { content: _, contentHash: __, revision: ___, identity: ____, ...header } = record;
  return header;
}

export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
