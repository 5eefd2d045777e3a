import { LociError, messageOf } from '../../../core/errors.ts';
import { isJsonMap, parseJson } from '../../../core/json.ts';
import { INITIAL_DIGEST, parseEnd, parseHeader, parseItem, updateDigest } from '../format/export-item.ts';
import type { ExportItem } from '../format/export-item.ts';
import type { Lines } from './text-lines.ts';

/** A line of an export: its item, or a message that says why it is invalid. */
export type ParsedLine =
  | { readonly location: string; readonly item: ExportItem }
  | { readonly location: string; readonly invalid: string };

/**
 * Reads an export to its end and checks its header, its number of lines and its digest. Returns the number of items.
 * @throws LociError `invalid_input` for anything but a complete, unchanged export of this version
 */
export async function assertCompleteExport(lines: Lines, onLine: () => void): Promise<number> {
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

/** Parses the lines between the first and the last. */
export async function* parsedLines(lines: Lines): AsyncGenerator<ParsedLine> {
  let number = 0;
  let previous: string | null = null;
  for await (const line of lines()) {
    if (previous !== null && number > 1) yield parseLine(previous, `line ${String(number)}`);
    number++;
    previous = line;
  }
}

function parseLine(line: string, location: string): ParsedLine {
  try {
    const value: unknown = JSON.parse(line);
    if (!isJsonMap(value)) return { location, invalid: 'it is not a JSON object' };
    const { type, ...fields }: Record<string, unknown> = value;
    const item = parseItem(String(type), fields);
    return typeof item === 'string' ? { location, invalid: item } : { location, item };
  } catch (error) {
    return { location, invalid: `it is not JSON: ${messageOf(error)}` };
  }
}
