import { LociError, messageOf } from '../../core/errors.ts';
import { DIGEST_START, digestWith, endOf, headerOf, portableOf, type ExportEnd } from './portable-line.ts';
import type { Arrival } from './import-run.ts';
import type { Lines } from './text-lines.ts';

/**
 * Reads an export to its end before anything of it is believed. Answers how many lines stand between the first and the
 * last.
 * @throws LociError `invalid_input` where it is no export, of another version, cut or changed
 */
export async function assertCompleteExport(lines: Lines, onLine: () => void): Promise<number> {
  let digest = DIGEST_START;
  let before: string | null = null;
  let count = 0;
  for await (const line of lines()) {
    onLine();
    if (before !== null) digest = digestWith(digest, before);
    if (before === null) refuseOther(line);
    before = line;
    count++;
  }
  if (before === null) throw new LociError('invalid_input', 'there is nothing to import: it is empty');
  const end = count > 1 ? endIn(before) : null;
  if (end === null) throw broken('it was cut: its last line is missing');
  if (end.lines !== count - 1)
    throw broken(
      `its last line tells of ${String(end.lines)} lines before it, and there are ${String(count - 1)}`,
    );
  if (end.digest !== digest)
    throw broken('it was changed: it does not add up to the digest in its last line');
  return count - 2;
}

function broken(what: string): LociError {
  return new LociError('invalid_input', `the export is not whole: ${what}`, {
    hint: 'Export it again. Nothing was imported.',
  });
}

function refuseOther(line: string): void {
  const header = headerOf(jsonOf(line));
  if (typeof header !== 'string') return;
  throw new LociError('invalid_input', `this is no export that can be read here: ${header}`, {
    hint: 'docs/export-format.md describes the format. Nothing was imported.',
  });
}

function endIn(line: string): ExportEnd | null {
  const end = endOf(jsonOf(line));
  return typeof end === 'string' ? null : end;
}

/** `undefined` for what is no JSON. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What the lines between the first and the last tell of. */
export async function* arrivalsIn(lines: Lines): AsyncGenerator<Arrival> {
  let number = 0;
  let before: string | null = null;
  for await (const line of lines()) {
    if (before !== null && number > 1) yield arrivalOf(before, `line ${String(number)}`);
    number++;
    before = line;
  }
}

function arrivalOf(line: string, where: string): Arrival {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { where, fault: 'it is no JSON object' };
    const { type, ...fields } = value as Record<string, unknown>;
    const item = portableOf(String(type), fields);
    return typeof item === 'string' ? { where, fault: item } : { where, item };
  } catch (error) {
    return { where, fault: `it is no JSON: ${messageOf(error)}` };
  }
}
