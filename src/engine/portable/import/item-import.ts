import type { LociError } from '../../../core/errors.ts';
import { assertNotAborted } from '../../../core/progress.ts';
import { isRefusal, type ImportJob, type ItemImporter, type Located } from '../items/item-type.ts';
import { itemType, type ExportItem, type ItemTypeName } from '../items/items.ts';

/** The approximate number of characters of the items that are written at a time. */
const MAX_BATCH_CHARACTERS = 1_000_000;

/** Imports items in their order. Items of one type that follow each other are written in batches. */
export class ItemImport {
  readonly #job: ImportJob;
  readonly #imports = new Map<ItemTypeName, TypeImport>();
  #current: TypeImport | null = null;

  constructor(job: ImportJob) {
    this.#job = job;
  }

  /** @param characters the approximate length of the item */
  async add(location: string, { type, value }: ExportItem, characters: number): Promise<void> {
    const found = this.#imports.get(type) ?? new TypeImport(this.#job, type);
    this.#imports.set(type, found);
    if (found !== this.#current) await this.#current?.flush();
    this.#current = found;
    await found.add({ location, value }, characters);
  }

  /** Writes what was added and is not written yet. */
  async flush(): Promise<void> {
    await this.#current?.flush();
  }
}

type Value = ExportItem['value'];

/** The import of all items of one type. */
class TypeImport {
  readonly #job: ImportJob;
  readonly #type: ItemTypeName;
  readonly #importer: ItemImporter<Value>;
  #pending: Located<Value>[] = [];
  #pendingCharacters = 0;
  #isForbidden = false;

  constructor(job: ImportJob, type: ItemTypeName) {
    this.#job = job;
    this.#type = type;
    this.#importer = itemType(type).importer(job);
  }

  async add({ location, value }: Located<Value>, characters: number): Promise<void> {
    const { context, report } = this.#job;
    const type = itemType(this.#type);
    if (type.reserved !== undefined && context.caller.trust !== 'operator') {
      // The report names the first one only.
      if (!this.#isForbidden)
        report.addProblem(location, `${type.reserved}: only the operator may import that`);
      this.#isForbidden = true;
      return;
    }
    if ((await this.#importer.isSkipped?.(value)) === true) return;
    try {
      const screened = await type.screen(context, value);
      report.addMasked(location, screened.masked);
      this.#pending.push({ location, value: screened.value });
      this.#pendingCharacters += characters;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#refuse(location, error);
    }
    const isFull =
      this.#pending.length >= this.#importer.batchSize || this.#pendingCharacters >= MAX_BATCH_CHARACTERS;
    if (isFull) await this.flush();
  }

  async flush(): Promise<void> {
    assertNotAborted(this.#job.options);
    const batch = this.#pending;
    this.#pending = [];
    this.#pendingCharacters = 0;
    const [first] = batch;
    if (first === undefined) return;
    try {
      await this.#importer.put(batch);
    } catch (error) {
      // The error of a larger batch does not say which item it concerns.
      if (batch.length > 1 || this.#importer.batchSize > 1 || !isRefusal(error)) throw error;
      this.#refuse(first.location, error);
    }
  }

  #refuse(location: string, error: LociError): void {
    const { report } = this.#job;
    if (this.#type === 'record' || this.#type === 'startup')
      report.addRefused(this.#type === 'record' ? report.records : report.startup, location, error);
    else report.addProblem(location, error.message);
  }
}
