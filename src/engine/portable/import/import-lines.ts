import { LociError, messageOf } from '../../../core/errors.ts';
import { isJsonMap, parseJson } from '../../../core/json.ts';
import { assertNotAborted } from '../../../core/progress.ts';
import { INITIAL_DIGEST, parseEnd, parseHeader, updateDigest } from '../items/header.ts';
import type { ImportJob } from '../items/item-type.ts';
import { parseItem, type ExportItem } from '../items/items.ts';
import { ItemImport } from './item-import.ts';
import type { Lines } from './text-lines.ts';

/**
 * Imports an export in batches. An import that was interrupted continues when it is run again.
 * @throws LociError `invalid_input` for anything but a complete, unchanged export of this version; then nothing is imported
 */
export async function importLines(job: ImportJob, lines: Lines, subject: string): Promise<void> {
  const total = await assertCompleteExport(lines, () => {
    assertNotAborted(job.options);
  });
  const items = new ItemImport(job);
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
      } else await items.add(location, item, previous.length);
      job.options.onProgress?.({ stage: 'reading', subject, done: number - 1, total });
    }
    number++;
    previous = line;
  }
  await items.flush();
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
