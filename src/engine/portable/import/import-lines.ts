import { LociError, messageOf } from '../../../core/errors.ts';
import { isJsonMap, parseJson } from '../../../core/json.ts';
import { assertNotAborted } from '../../../core/progress.ts';
import { INITIAL_DIGEST, parseEnd, parseHeader, updateDigest } from '../items/header.ts';
import { isRefusal, type ImportJob, type ItemImporter, type Located } from '../items/item-type.ts';
import { itemType, parseItem, type ExportItem, type ItemTypeName } from '../items/items.ts';
import type { Lines } from './text-lines.ts';

/** The approximate number of characters of the items that are written at a time. */
const MAX_BATCH_CHARACTERS = 1_000_000;

/**
 * Imports an export in batches. An import that was interrupted continues when it is run again.
 * @throws LociError `invalid_input` for anything but a complete, unchanged export of this version; then nothing is imported
 */
export async function importLines(job: ImportJob, lines: Lines, subject: string): Promise<void> {
  const total = await assertCompleteExport(lines, () => {
    assertNotAborted(job.options);
  });
  const importers = new Map<ItemTypeName, TypeImport>();
  let current: TypeImport | null = null;
  let number = 0;
  let previous: string | null = null;
  for await (const line of lines()) {
    // The first line is the header, and the last the end.
    if (previous !== null && number > 1) {
      const location = `line ${String(number)}`;
      const item = parseLine(previous);
      if (typeof item === 'string') {
        job.report.records.refused++;
        job.report.addProblem(location, item);
      } else {
        const importer = importers.get(item.type) ?? new TypeImport(job, item.type);
        importers.set(item.type, importer);
        if (importer !== current) await current?.flush();
        current = importer;
        await importer.add({ location, value: item.value }, previous.length);
      }
      job.options.onProgress?.({ stage: 'reading', subject, done: number - 1, total });
    }
    number++;
    previous = line;
  }
  await current?.flush();
}

/** Reads an export to its end and checks its header, its number of lines and its digest. Returns the number of items. */
async function assertCompleteExport(lines: Lines, onLine: () => void): Promise<number> {
  let digest = INITIAL_DIGEST;
  let previous: string | null = null;
  let count = 0;
  for await (const line of lines()) {
    onLine();
    if (previous !== null) digest = updateDigest(digest, previous);
    if (previous === null) assertHeader(line);
    previous = line;
    count++;
  }
  if (previous === null) throw new LociError('invalid_input', 'there is nothing to import: it is empty');
  const end = count > 1 ? parseEnd(parseJson(previous)) : '';
  if (typeof end === 'string') throw incomplete('it was cut: its last line is missing');
  if (end.lines !== count - 1)
    throw incomplete(
      `its last line counts ${String(end.lines)} lines before it, but there are ${String(count - 1)}`,
    );
  if (end.digest !== digest)
    throw incomplete('it was changed: its digest does not match the one in its last line');
  return count - 2;
}

function incomplete(reason: string): LociError {
  return new LociError('invalid_input', `the export is damaged: ${reason}`, {
    hint: 'Export it again. Nothing was imported.',
  });
}

function assertHeader(line: string): void {
  const header = parseHeader(parseJson(line));
  if (typeof header !== 'string') return;
  throw new LociError('invalid_input', `this is not an export that can be imported: ${header}`, {
    hint: 'docs/export-format.md describes the format. Nothing was imported.',
  });
}

/** The item of a line, or a message that says why it is invalid. */
function parseLine(line: string): ExportItem | string {
  try {
    const value: unknown = JSON.parse(line);
    if (!isJsonMap(value)) return 'it is not a JSON object';
    const { type, ...fields }: Record<string, unknown> = value;
    return parseItem(String(type), fields);
  } catch (error) {
    return `it is not JSON: ${messageOf(error)}`;
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
