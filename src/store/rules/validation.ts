import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import type { CommitBatch, RecordImport, RecordWrite } from '../model.ts';
import type { Generation, SentenceVectors, VectorWrite } from '../search-model.ts';

/**
 * Times are whole milliseconds, and counts are whole.
 * @throws LociError `invalid_input` that names the first number that is not whole, or too large to be exact
 */
export function assertSafeIntegers(numbers: Readonly<Record<string, number | null>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value === null || Number.isSafeInteger(value)) continue;
    throw new LociError('invalid_input', `${name} is ${String(value)}, which is not a whole number`);
  }
}

/** Refuses times that a store could not return unchanged. */
export function assertSafeTimes(batch: CommitBatch): void {
  for (const { draft } of batch.writes ?? []) {
    const { createdAt, updatedAt, expiresAt } = draft;
    assertSafeIntegers({ createdAt, updatedAt, expiresAt });
  }
  for (const { draft, deletedAt } of batch.imports ?? []) {
    const { createdAt, updatedAt, expiresAt } = draft;
    assertSafeIntegers({ createdAt, updatedAt, expiresAt, deletedAt });
  }
  const { deletions = [], restorations = [], audit = [], idempotencyKey } = batch;
  for (const { at } of [...deletions, ...restorations, ...audit]) assertSafeIntegers({ at });
  if (idempotencyKey !== undefined)
    assertSafeIntegers({ at: idempotencyKey.at, expiresAt: idempotencyKey.expiresAt });
}

/** Refuses to overwrite a record that was deleted, or has changed since its writer read it. */
export function assertUnchanged(record: LociRecord, { expected }: RecordWrite): void {
  const { id, deletedAt, updatedAt } = record;
  if (deletedAt !== null) throw new LociError('not_found', `record ${String(id)} is deleted`);
  if (expected === undefined || expected === updatedAt) return;
  throw new LociError('conflict', `record ${String(id)} was changed meanwhile`);
}

/** Asserts that a record is in the state that an import expects. An import may replace a deleted record. */
export function assertRecordState(record: LociRecord, { expected }: RecordImport): void {
  const { id, deletedAt, updatedAt } = record;
  if (expected === undefined || (expected.updatedAt === updatedAt && expected.deletedAt === deletedAt))
    return;
  throw new LociError('conflict', `record ${String(id)} was changed meanwhile`);
}

/** @throws LociError `conflict` for the generation that searches use */
export function assertRemovable({ id, active }: Generation): void {
  if (active) throw new LociError('conflict', `searches use the vector generation ${String(id)}`);
}

/** Vectors of two models cannot be compared, and a component that is not finite would spoil every ranking. */
export function assertVectorDimensions({ id, dimensions }: Generation, vector: Float32Array): void {
  if (vector.length !== dimensions) {
    throw new LociError(
      'embedding_mismatch',
      `a vector of ${String(vector.length)} dimensions for generation ${String(id)} of ${String(dimensions)}`,
    );
  }
  if (!vector.every(Number.isFinite)) {
    throw new LociError('invalid_input', 'a vector has a component that is not a finite number');
  }
}

/** As `assertVectorDimensions`, for vectors that are written. */
export function assertVectors(
  generation: Generation,
  vectors: readonly VectorWrite[],
  sentences: SentenceVectors,
): void {
  for (const { vector } of vectors) assertVectorDimensions(generation, vector);
  for (const vector of [...sentences.values()].flat()) assertVectorDimensions(generation, vector);
}

/**
 * Replaces lone surrogates with U+FFFD in every text. Stores keep UTF-8, which cannot represent lone surrogates;
 * replacing them at the start makes every store return, list and compare the same texts.
 */
export function wellFormed<Value>(value: Value): Value {
  return isWellFormed(value) ? value : (repaired(value) as Value);
}

/** Nearly every value is well-formed, and the check costs a tenth of a copy. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (typeof value !== 'object' || value === null) return true;
  for (const key in value) {
    if (!key.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(repaired);
  if (typeof value !== 'object' || value === null) return value;
  // Unlike assignment, this creates an own property even for a key such as `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), repaired(inner)]),
  );
}
