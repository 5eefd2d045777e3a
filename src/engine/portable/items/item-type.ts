import { LociError } from '../../../core/errors.ts';
import type { ProgressOptions } from '../../../core/progress.ts';
import type { LociRecord } from '../../../core/types.ts';
import type { EngineContext } from '../../context.ts';
import { MAX_KEY_LENGTH } from '../../fields/limits.ts';
import type { ImportReport } from '../import/import-report.ts';
import type { CountName } from './header.ts';
import type { LineFormat } from './line-format.ts';

/** A record as it is exported: without its namespace, because an import uses the namespace of its caller. */
export type ExportedRecord = Omit<LociRecord, 'namespace'>;

/** A type of items in an export: how items are read from the store, written as lines, read from lines, and imported. */
export interface ItemType<Value> {
  /** The name of its count in the reports of an export and of an import. */
  readonly count: CountName;
  readonly format: LineFormat<Value>;
  /** The items of the caller's namespace that follow a position. */
  read(context: EngineContext, position: Position): Promise<Batch<Value>>;
  /** Why only the operator may import items of this type: `it is a label of the operator`. */
  readonly reserved?: string;
  /**
   * Applies the rules of a write, and masks secrets.
   * @throws LociError `invalid_input`, `secret_refused`, `forbidden`
   */
  screen(context: EngineContext, value: Value): Promise<Screened<Value>>;
  importer(job: ImportJob): ItemImporter<Value>;
}

/** A position among the items of a type. */
export interface Position {
  /** Index of the audit chain or history category. */
  readonly part: number;
  /** Number of the last item of the part that was read; 0 before the first. */
  readonly after: number;
}

export interface Batch<Value> {
  readonly items: readonly Value[];
  /** `null` after the last item of the type. */
  readonly next: Position | null;
}

export interface Screened<Value> {
  readonly value: Value;
  /** Kinds of secrets that were masked. */
  readonly masked: readonly string[];
}

export interface ImportOptions extends ProgressOptions {
  readonly dry_run: boolean;
  /** Replaces whatever differs, even when it is newer. */
  readonly overwrite: boolean;
}

export interface ImportJob {
  readonly context: EngineContext;
  readonly options: ImportOptions;
  readonly report: ImportReport;
}

/** An item, and the line or file that it comes from. */
export interface Located<Value> {
  readonly location: string;
  readonly value: Value;
}

/** Imports the items of one type. */
export interface ItemImporter<Value> {
  /** The number of items that `put` gets at a time. */
  readonly batchSize: number;
  /** Whether an item is left out without a remark. */
  isSkipped?(value: Value): Promise<boolean> | boolean;
  /** Writes items that were screened, and counts them in the report. */
  put(batch: readonly Located<Value>[]): Promise<void>;
}

/** The number of items that an export reads, and an import writes, at a time. */
const ITEMS_PER_READ = 500;
export const ITEMS_PER_WRITE = 100;

/** Reads a batch of the items of a type from a position. The number of its last item is the position of the next one. */
export async function readPage<Item>(
  read: (page: { readonly after: number; readonly limit: number }) => Promise<readonly Item[]>,
  numberOf: (item: Item) => number,
  { part, after }: Position,
  limit: number = ITEMS_PER_READ,
): Promise<Batch<Item>> {
  const items = await read({ after, limit });
  const last = items.at(-1);
  return { items, next: last === undefined ? null : { part, after: numberOf(last) } };
}

/** One batch of a list that the store returns as a whole. */
export function sliceFrom<Item>(all: readonly Item[], { after }: Position): Batch<Item> {
  const end = after + ITEMS_PER_READ;
  const items = all.slice(after, end);
  return { items, next: items.length < ITEMS_PER_READ ? null : { part: 0, after: end } };
}

/** @throws LociError `invalid_input` */
export function assertShort(field: string, text: string | null): void {
  const length = text?.length ?? 0;
  if (length > MAX_KEY_LENGTH)
    throw new LociError(
      'invalid_input',
      `${field} has ${String(length)} characters; the limit is ${String(MAX_KEY_LENGTH)}`,
    );
}

/** Whether the error concerns one item, so that the import continues with the next. */
export function isRefusal(error: unknown): error is LociError {
  const codes = ['invalid_input', 'secret_refused', 'forbidden', 'conflict'];
  return error instanceof LociError && codes.includes(error.code);
}
