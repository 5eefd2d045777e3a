import { LociError } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { Json, Timestamp } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';
import { MAX_KEY_LENGTH } from '../fields/limits.ts';
import type { ImportReport, ItemTypeName } from './import-report.ts';

/** A type of items in an export: how its items are written as lines and read from them, and how the store reads and writes them. */
export interface ItemType<Value> {
  /** The fields of a line without its type, in the order of every export. */
  fields(value: Value): Readonly<Record<string, Json>>;
  /** Validates the fields of a line. Returns the item, or a message that says what is wrong. */
  parse(fields: unknown): Value | string;
  /** The items of the caller's namespace that follow a position. */
  read(context: EngineContext, position: Position): Promise<Batch<Value>>;
  /**
   * Applies the rules of a write, and masks secrets.
   * @throws LociError `invalid_input`, `secret_refused`, `forbidden`
   */
  screen(context: EngineContext, value: Value): Promise<Screened<Value>>;
  /** Writes a batch in one transaction, unless it is a dry run, and counts what was done with each item. */
  write(job: ItemImport, batch: readonly Located<Value>[]): Promise<void>;
}

/** A position among the items of a type. */
export interface Position {
  /** Index of the audit chain or of the kind. */
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

export type ItemTypes = Readonly<Record<ItemTypeName, ItemType<object>>>;

/** An item of an export, whatever it was read from. */
export interface Item {
  readonly type: ItemTypeName;
  readonly value: object;
}

/** An item, and the line or file that it comes from. */
export interface Located<Value> {
  readonly location: string;
  readonly value: Value;
}

/** Reads a page of a part of a type. The number of its last item is the position of the next page; after the last one comes the next part. */
export async function readPart<Item>(
  read: (page: { readonly after: number; readonly limit: number }) => Promise<readonly Item[]>,
  numberOf: (item: Item) => number,
  { part, after }: Position,
  limit = 500,
): Promise<Batch<Item>> {
  const items = await read({ after, limit });
  const last = items.at(-1);
  return { items, next: last === undefined ? { part: part + 1, after: 0 } : { part, after: numberOf(last) } };
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

/** How many items are written at a time, and about how many characters they have. */
const MAX_BATCH_ITEMS = 100;
const MAX_BATCH_CHARACTERS = 1_000_000;

interface ImportOptions extends ProgressOptions {
  readonly dry_run: boolean;
  /** Replaces whatever differs, even when it is newer. */
  readonly overwrite: boolean;
}

/** An audit chain that entries can be attached to. */
export interface KnownChain {
  readonly own: boolean;
  readonly length: number;
  /** The hash of its last entry. */
  readonly head: string;
}

/** Imports items in their order, from whatever they come. Items of one type that follow each other are written in batches. */
export class ItemImport {
  readonly context: EngineContext;
  readonly options: ImportOptions;
  readonly report: ImportReport;
  /** What is here, with what this job wrote or in a dry run would have written, so that both count the same. */
  readonly known = {
    /** UUIDs and keys of the records that this job wrote. */
    records: new Set<string>(),
    /** The items of each type, by key. They are read once, so that the import of many takes linear time. */
    items: new Map<ItemTypeName, Map<string, { readonly at: Timestamp; readonly digest: string }>>(),
    /** `null` for a chain that cannot be attached. */
    chains: new Map<string, KnownChain | null>(),
  };
  readonly #types: ItemTypes;
  #type: ItemTypeName = 'startup';
  #batch: Located<object>[] = [];
  #characters = 0;

  constructor(context: EngineContext, options: ImportOptions, report: ImportReport, types: ItemTypes) {
    this.#types = types;
    this.context = context;
    this.options = options;
    this.report = report;
  }

  /** Screens an item and imports it, unless it has expired or only the operator may import it. */
  async add(location: string, { type, value }: Item): Promise<void> {
    const { context, report } = this;
    if (this.#isForbidden(type, location)) return;
    const { expiresAt = null } = value as { readonly expiresAt?: Timestamp | null };
    if (expiresAt !== null && expiresAt <= context.now()) {
      report.counts(type).expired++;
      return;
    }
    await this.attempt(type, location, async () => {
      const screened = await this.#types[type].screen(context, value);
      report.addMasked(location, screened.masked);
      return { type, value: screened.value };
    });
  }

  /** Imports the item that is made, which has been screened; `null` is none. What is refused is reported, and the import goes on. */
  async attempt(
    type: ItemTypeName,
    location: string,
    make: () => Item | null | Promise<Item | null>,
  ): Promise<void> {
    try {
      const item = await make();
      if (item !== null) await this.put(location, item);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.report.addRefused(type, location, error);
    }
  }

  /** Imports an item that has been screened, unless only the operator may import it. */
  async put(location: string, { type, value }: Item): Promise<void> {
    if (this.#isForbidden(type, location)) return;
    if (type !== this.#type) await this.flush();
    this.#type = type;
    this.#batch.push({ location, value });
    this.#characters += (value as { readonly content?: string }).content?.length ?? 0;
    if (this.#batch.length >= MAX_BATCH_ITEMS || this.#characters >= MAX_BATCH_CHARACTERS) await this.flush();
  }

  /** Agents import records alone. The report names the first item of another type only. */
  #isForbidden(type: ItemTypeName, location: string): boolean {
    if (type === 'record' || this.context.caller.trust === 'operator') return false;
    const message = `${type}: only the operator may import that`;
    if (this.report.counts(type).refused++ === 0) this.report.add('problems', { location, message });
    return true;
  }

  /** Writes what was added and is not written yet. */
  async flush(): Promise<void> {
    assertNotAborted(this.options);
    const batch = this.#batch;
    this.#batch = [];
    this.#characters = 0;
    if (batch.length > 0) await this.#types[this.#type].write(this, batch);
  }
}
