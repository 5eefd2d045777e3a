import { LociError } from '../../../core/errors.ts';
import type { ProgressOptions } from '../../../core/progress.ts';
import type { LociRecord, Timestamp } from '../../../core/types.ts';
import type { AuditDraft } from '../../../store/admin-model.ts';
import type { ItemChange, ItemKind } from '../../../store/item-model.ts';
import type { EngineContext } from '../../context.ts';
import { MAX_KEY_LENGTH } from '../../fields/limits.ts';
import type { ImportReport } from './import-report.ts';
import type { LineFormat } from './line-format.ts';

/** A record as it is exported: without its namespace, because an import uses the namespace of its caller. */
export type ExportedRecord = Omit<LociRecord, 'namespace'>;

/** A type of items in an export: how items are read from the store, written as lines, and read from lines. */
export interface ItemType<Value> {
  readonly format: LineFormat<Value>;
  /** The items of the caller's namespace that follow a position. */
  read(context: EngineContext, position: Position): Promise<Batch<Value>>;
  /**
   * Applies the rules of a write, and masks secrets.
   * @throws LociError `invalid_input`, `secret_refused`, `forbidden`
   */
  screen(context: EngineContext, value: Value): Promise<Screened<Value>>;
}

/** A type that the store keeps as items. Of two items with one key, the last writer wins. */
export interface StoredType<Value> extends ItemType<Value> {
  readonly kinds: readonly ItemKind[];
  /** The items that an imported one may replace, if these are more than those that an export has. */
  readonly existing?: Pick<ItemType<Value>, 'read'>;
  key(value: Value): string;
  /** When it was last written. */
  at(value: Value): Timestamp;
  puts(values: readonly Value[]): ItemChange[];
  /** For messages. */
  title(value: Value): string;
  /** What the user should know of an item that is stored. */
  remark?(context: EngineContext, value: Value): string | null;
  /** The entries of the audit log, unless there is one for each batch. */
  audit?(context: EngineContext, values: readonly Value[]): Promise<AuditDraft[]>;
}

/** A position among the items of a type. */
export interface Position {
  /** Index of the audit chain or of the kind. */
  readonly part: number;
  /** Number of the last item of the part that was read; 0 before the first. */
  readonly after: number;
}

export const START: Position = { part: 0, after: 0 };

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

export interface ImportJob {
  readonly context: EngineContext;
  readonly options: ProgressOptions & {
    readonly dry_run: boolean;
    /** Replaces whatever differs, even when it is newer. */
    readonly overwrite: boolean;
  };
  readonly report: ImportReport;
}

/** An item, and the line or file that it comes from. */
export interface Located<Value> {
  readonly location: string;
  readonly value: Value;
}

/** Reads a batch of the items of a part of a type. The number of its last item is the position of the next one. */
export async function readPage<Item>(
  read: (page: { readonly after: number; readonly limit: number }) => Promise<readonly Item[]>,
  numberOf: (item: Item) => number,
  { part, after }: Position,
  limit = 500,
): Promise<Batch<Item>> {
  const items = await read({ after, limit });
  const last = items.at(-1);
  return { items, next: last === undefined ? null : { part, after: numberOf(last) } };
}

/** @throws LociError `invalid_input` */
export function assertShort(fields: Readonly<Record<string, string | null>>): void {
  for (const [field, text] of Object.entries(fields)) {
    const length = text?.length ?? 0;
    if (length <= MAX_KEY_LENGTH) continue;
    const limit = String(MAX_KEY_LENGTH);
    throw new LociError('invalid_input', `${field} has ${String(length)} characters; the limit is ${limit}`);
  }
}

/** Whether the error concerns one item, so that the import continues with the next. */
export function isRefusal(error: unknown): error is LociError {
  const codes = ['invalid_input', 'secret_refused', 'forbidden', 'conflict', 'unreadable'];
  return error instanceof LociError && codes.includes(error.code);
}
