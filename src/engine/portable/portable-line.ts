import { z } from 'zod';
import { sha256 } from '../../core/hash.ts';
import type { Json, Metadata } from '../../core/types.ts';
import type { AuditEntry } from '../../store/audit.ts';
import { TIMES } from '../../sources/files/dates.ts';
import { HISTORY_CATEGORIES, type HistoryDraft } from '../../store/history.ts';
import type { StartupEntry } from '../../store/startup.ts';
import {
  isoTime,
  parsed,
  recordFields,
  recordOf,
  timeText,
  uuid,
  type PortableRecord,
} from './portable-record.ts';

/** How every export names itself. A reader refuses versions that it does not know. */
export const FORMAT = 'loci-export';
export const VERSION = 1;

/** One thing of an export, whichever form that has. */
export type Portable =
  | { readonly type: 'startup'; readonly entry: StartupEntry }
  | { readonly type: 'record'; readonly record: PortableRecord }
  | { readonly type: 'audit'; readonly entry: AuditEntry }
  | { readonly type: 'history'; readonly row: HistoryDraft };

export interface ExportHeader {
  readonly type: 'header';
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly namespace: string;
  readonly exported_at: string;
  /** As they were when the export began. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The last line: how many stand before it, and what they say. */
export interface ExportEnd {
  readonly type: 'end';
  readonly lines: number;
  readonly digest: string;
}

export const DIGEST_START: string = '0'.repeat(64);

/** SHA-256 of the digest so far followed by the line: whoever reads on needs no more of what came before. */
export function digestWith(digest: string, line: string): string {
  return sha256(digest + line);
}

const map = z.custom<Metadata>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256');

const header = z.object({ type: z.literal('header'), format: z.string(), version: z.number() });
const headerOfVersion = z.strictObject({
  type: z.literal('header'),
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  namespace: z.string(),
  exported_at: z.string(),
  counts: z.record(z.string(), z.number()),
});
const end = z.strictObject({ type: z.literal('end'), lines: z.number().int(), digest: hash });

const startup = z.strictObject({
  agent: z.string().max(128),
  key: z.string(),
  content: z.string(),
  priority: z.number().int().min(0).max(9),
  reinforce: z.boolean(),
  created_at: isoTime,
  updated_at: isoTime,
  deleted_at: isoTime.nullable(),
});

const audit = z.strictObject({
  chain: uuid,
  seq: z.number().int().positive(),
  at: z.number().int().min(TIMES.first).max(TIMES.last),
  actor: z.string(),
  surface: z.string(),
  action: z.string(),
  subject: z.string().nullable(),
  diff: map.nullable(),
  diff_hash: hash.nullable(),
  previous: hash,
  hash,
});

const history = z.strictObject({
  category: z.enum(HISTORY_CATEGORIES),
  name: z.string(),
  surface: z.string(),
  actor: z.string(),
  inputs: map,
  outcome: z.string(),
  at: isoTime,
  took_ms: z.number().int().nonnegative(),
  expires_at: isoTime,
});

/** The fields of a thing but the long text of what has one, in the order in which every export has them. */
export function fieldsOf(item: Portable): { readonly [name: string]: Json } {
  switch (item.type) {
    case 'record':
      return recordFields(item.record);
    case 'startup': {
      const { agent, key, priority, reinforce, createdAt, updatedAt, deletedAt } = item.entry;
      const times = { created_at: timeText(createdAt), updated_at: timeText(updatedAt) };
      const deleted = deletedAt === null ? null : timeText(deletedAt);
      return { agent, key, priority, reinforce, ...times, deleted_at: deleted };
    }
    case 'audit': {
      const {
        chain,
        seq,
        at,
        actor,
        surface,
        action,
        subject,
        diff,
        diffHash,
        previous,
        hash: own,
      } = item.entry;
      // The hash is made of this number.
      const said = { chain, seq, at, actor, surface, action, subject, diff: diff as Json };
      return { ...said, diff_hash: diffHash, previous, hash: own };
    }
    case 'history': {
      const { category, name, surface, actor, inputs, outcome, at, tookMs, expiresAt } = item.row;
      const said = { category, name, surface, actor, inputs: inputs as Json, outcome, at: timeText(at) };
      return { ...said, took_ms: tookMs, expires_at: timeText(expiresAt) };
    }
  }
}

export function lineOf(item: Portable): string {
  const content =
    item.type === 'record'
      ? { content: item.record.content }
      : item.type === 'startup'
        ? { content: item.entry.content }
        : {};
  return JSON.stringify({ type: item.type, ...fieldsOf(item), ...content });
}

/** The thing that an object of its fields tells of, or in words what is wrong with it. */
export function portableOf(type: string, given: unknown): Portable | string {
  switch (type) {
    case 'record': {
      const record = recordOf(given);
      return typeof record === 'string' ? record : { type, record };
    }
    case 'startup':
      return startupOf(given);
    case 'audit':
      return auditOf(given);
    case 'history':
      return historyOf(given);
    default:
      return `this version knows no lines of the type ${JSON.stringify(type.slice(0, 60))}`;
  }
}

function startupOf(given: unknown): Portable | string {
  const read = parsed(startup, given);
  if (typeof read === 'string') return read;
  const { created_at: createdAt, updated_at: updatedAt, deleted_at: deletedAt, ...rest } = read;
  return { type: 'startup', entry: { ...rest, createdAt, updatedAt, deletedAt } };
}

function auditOf(given: unknown): Portable | string {
  const read = parsed(audit, given);
  if (typeof read === 'string') return read;
  const { diff_hash: diffHash, ...rest } = read;
  return { type: 'audit', entry: { ...rest, diffHash } };
}

function historyOf(given: unknown): Portable | string {
  const read = parsed(history, given);
  if (typeof read === 'string') return read;
  const { took_ms: tookMs, expires_at: expiresAt, ...rest } = read;
  return { type: 'history', row: { ...rest, tookMs, expiresAt } };
}

/** @returns in words what is wrong: no export of ours, or one of another version */
export function headerOf(given: unknown): ExportHeader | string {
  const named = parsed(header, given);
  if (typeof named === 'string' || named.format !== FORMAT)
    return 'it does not begin with the header of an export of Loci';
  if (named.version !== VERSION)
    return `it is of version ${String(named.version)} of the format; this Loci reads version ${String(VERSION)}`;
  const read = parsed(headerOfVersion, given);
  return typeof read === 'string' ? `the header is broken: ${read}` : read;
}

export function endOf(given: unknown): ExportEnd | string {
  return parsed(end, given);
}
