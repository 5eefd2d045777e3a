import { LociError } from '../../src/core/errors.ts';
import type { LociRecord, Passage } from '../../src/core/types.ts';
import { indexPassage, type IndexedPassage } from '../../src/store/lexical/text-fields.ts';
import type { ChangeKind, IdempotencyKey, IdempotentResult, RecordChange } from '../../src/store/model.ts';
import { assertVectorDimensions } from '../../src/store/rules/validation.ts';
import type { QueryVector, RecordHeader } from '../../src/store/search-model.ts';

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

export interface Namespace {
  readonly name: string;
  nextRecord: number;
  readonly records: Map<number, OracleRecord>;
  readonly passages: Map<number, OraclePassage>;
  /** By generation, then by content hash. */
  readonly vectors: Map<number, Map<string, Float32Array>>;
  readonly idempotent: Map<string, IdempotencyKey & IdempotentResult>;
  /** The last change of each record, oldest first. */
  readonly changes: Map<number, RecordChange>;
  lastChange: number;
}

/** The state of the oracle, in plain maps. */
export class OracleState {
  readonly #dimensions: readonly number[];
  readonly #namespaces = new Map<string, Namespace>();
  #nextPassage = 1;

  /** @param dimensions those of each generation of vectors; the first generation has the id 1 */
  constructor(dimensions: readonly number[]) {
    this.#dimensions = dimensions;
  }

  isWritten(name: string): boolean {
    return this.#namespaces.has(name);
  }

  read(name: string): Namespace {
    return (
      this.#namespaces.get(name) ?? {
        name,
        nextRecord: 1,
        records: new Map(),
        passages: new Map(),
        vectors: new Map(),
        idempotent: new Map(),
        changes: new Map(),
        lastChange: 0,
      }
    );
  }

  /** Applies a change completely or not at all: it works on a copy, which replaces the namespace unless the change throws. */
  change<Result>(name: string, apply: (namespace: Namespace, nextPassage: () => number) => Result): Result {
    const copy = structuredClone(this.read(name));
    const { lastChange } = copy;
    const first = this.#nextPassage;
    let next = first;
    const result = apply(copy, () => next++);
    this.#nextPassage = first + numberPassages(copy, first, lastChange);
    this.#namespaces.set(name, copy);
    return result;
  }

  assertGeneration(id: number): void {
    if (this.#dimensions[id - 1] === undefined)
      throw new LociError('not_found', `no generation ${String(id)}`);
  }

  assertVector({ generation: id, vector }: QueryVector): void {
    this.assertGeneration(id);
    const dimensions = this.#dimensions[id - 1]!;
    assertVectorDimensions({ id, provider: '', model: '', active: false, dimensions }, vector);
  }
}

/**
 * Passages of a version that the same batch replaces get no id. The others are numbered in the order in which their records were
 * changed last, then those of records that only have new passages. Returns their number.
 */
function numberPassages(namespace: Namespace, first: number, lastChange: number): number {
  const added = [...namespace.passages.values()].filter(({ id }) => id >= first);
  const changeOf = ({ record }: OraclePassage): number => {
    const sequence = namespace.changes.get(record)?.sequence ?? 0;
    return sequence > lastChange ? sequence : Number.MAX_SAFE_INTEGER;
  };
  added.sort((a, b) => changeOf(a) - changeOf(b) || a.id - b.id);
  for (const { id } of added) namespace.passages.delete(id);
  for (const [i, each] of added.entries()) namespace.passages.set(first + i, { ...each, id: first + i });
  return added.length;
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
}

export function headerOf(record: LociRecord): RecordHeader {
  const { content: _, contentHash: __, revision: ___, identity: ____, ...header } = record;
  return header;
}

export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
