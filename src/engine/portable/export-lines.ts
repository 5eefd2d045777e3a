import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { isJsonMap, parseJson } from '../../core/json.ts';
import { ITEM_TYPE_NAMES } from './import-report.ts';
import type { Item } from './item-type.ts';
import { parseItem } from './items.ts';
import { parseWith, sha256Text } from './line-format.ts';

/** The name of the format in the header of every export. */
export const FORMAT = 'loci-export';
/** The version that this program writes. It reads no other. */
export const VERSION = 1;

export const INITIAL_DIGEST: string = '0'.repeat(64);

/** The digest of an export up to and including this line: SHA-256 of the digest before it, followed by the line. */
export function updateDigest(digest: string, line: string): string {
  return sha256(digest + line);
}

const anyHeader = z.object({ type: z.literal('header'), format: z.literal(FORMAT), version: z.number() });
const header = z.strictObject({
  ...anyHeader.shape,
  namespace: z.string(),
  exported_at: z.string(),
  /** Of exports of older programs. */
  counts: z.unknown().optional(),
});

/** The last line: the number of lines before it, and their digest. */
const end = z.strictObject({ type: z.literal('end'), lines: z.number().int(), digest: sha256Text });

/** UTF-16 units; longer than the line of any record. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024;

/** The lines of a text that comes in chunks, without their line breaks. An empty last line does not count. */
export async function* splitLines(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let rest = '';
  let number = 1;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    number += lines.length;
    yield* lines;
    if (rest.length <= MAX_LINE_LENGTH) continue;
    const limit = String(MAX_LINE_LENGTH);
    throw new LociError('invalid_input', `line ${String(number)} is longer than ${limit} characters`);
  }
  if (rest !== '') yield rest;
}

/** A line between the header and the end: an item, or a message for one of a type that this version does not have. */
export interface ExportLine {
  readonly location: string;
  readonly item: Item | string;
}

/**
 * Reads the lines of an export, and checks each of them and the digest of all.
 * @throws LociError `invalid_input` for anything but a complete, unchanged export of this version
 */
export async function* readExport(lines: AsyncIterable<string>): AsyncGenerator<ExportLine> {
  let digest = INITIAL_DIGEST;
  let previous: string | null = null;
  let count = 0;
  for await (const line of lines) {
    if (previous === null) assertHeader(line);
    else digest = updateDigest(digest, previous);
    // The last line is no item.
    if (previous !== null && count > 1)
      yield { location: `line ${String(count)}`, item: parseLine(previous, count) };
    previous = line;
    count++;
  }
  if (previous === null) throw new LociError('invalid_input', 'there is nothing to import: it is empty');
  const last = parseWith(end, parseJson(previous));
  if (typeof last === 'string') throw damaged(count, 'it was cut: its last line is missing');
  const before = String(count - 1);
  if (last.lines !== count - 1)
    throw damaged(count, `it counts ${String(last.lines)} lines before it, but there are ${before}`);
  if (last.digest !== digest) throw damaged(count, 'it was changed: the digest of its lines differs');
}

function damaged(line: number, reason: string): LociError {
  return new LociError('invalid_input', `the export is damaged: line ${String(line)}: ${reason}`, {
    hint: 'Export it again. Nothing was imported.',
  });
}

function assertHeader(line: string): void {
  const value = parseJson(line);
  const basic = parseWith(anyHeader, value);
  const complete = parseWith(header, value);
  let reason: string;
  if (typeof basic === 'string') reason = 'it does not begin with the header of an export of Loci';
  else if (basic.version !== VERSION)
    reason = `it is of version ${String(basic.version)} of the format; this Loci reads version ${String(VERSION)}`;
  else if (typeof complete === 'string') reason = `the header is broken: ${complete}`;
  else return;
  throw new LociError('invalid_input', `this is not an export that can be imported: ${reason}`, {
    hint: 'docs/export-format.md describes the format. Nothing was imported.',
  });
}

/** @throws LociError `invalid_input` for a line that is damaged */
function parseLine(line: string, number: number): Item | string {
  const value = parseJson(line);
  if (!isJsonMap(value)) throw damaged(number, 'it is not a JSON object');
  const item = parseItem(value);
  const isKnown = (ITEM_TYPE_NAMES as readonly unknown[]).includes(value['type']);
  if (typeof item === 'string' && isKnown) throw damaged(number, item);
  return item;
}
