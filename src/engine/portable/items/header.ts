import { z } from 'zod';
import { sha256 } from '../../../core/ids.ts';
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

const anyHeader = z.object({ type: z.literal('header'), format: z.string(), version: z.number() });
const header = z.strictObject({
  type: z.literal('header'),
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  namespace: z.string(),
  exported_at: z.string(),
  /** Counted when the export began. */
  counts: z.record(z.string(), z.number()),
});
export type ExportHeader = z.infer<typeof header>;

/** Names of the counts that an export and an import report. */
export type CountName = 'startup' | 'records' | 'labels' | 'golden_queries' | 'audit' | 'history';

/** The last line: the number of lines before it, and their digest. */
const end = z.strictObject({ type: z.literal('end'), lines: z.number().int(), digest: sha256Text });
export type ExportEnd = z.infer<typeof end>;

/** Returns the header, or a message that says why this version cannot read it. */
export function parseHeader(value: unknown): ExportHeader | string {
  const parsed = parseWith(anyHeader, value);
  if (typeof parsed === 'string' || parsed.format !== FORMAT)
    return 'it does not begin with the header of an export of Loci';
  if (parsed.version !== VERSION)
    return `it is of version ${String(parsed.version)} of the format; this Loci reads version ${String(VERSION)}`;
  const complete = parseWith(header, value);
  return typeof complete === 'string' ? `the header is broken: ${complete}` : complete;
}

export function parseEnd(value: unknown): ExportEnd | string {
  return parseWith(end, value);
}
