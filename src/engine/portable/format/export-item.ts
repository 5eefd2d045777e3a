import { z } from 'zod';
import { sha256 } from '../../../core/ids.ts';
import type { Json } from '../../../core/types.ts';
import type { AuditEntry, HistoryDraft, StartupEntry } from '../../../store/admin-model.ts';
import type { ConceptChange } from '../../../store/concept-model.ts';
import { HISTORY_CATEGORIES } from '../../../store/admin-model.ts';
import type { GoldenQuery } from '../../../store/item-model.ts';
import { VERDICTS, type Label } from '../../../store/item-model.ts';
import { MAX_TIME, MIN_TIME } from '../../../sources/files/file-time.ts';
import {
  jsonObject,
  parseRecord,
  parseWith,
  recordFields,
  time,
  timeText,
  uuid,
  type ExportedRecord,
} from './export-record.ts';

/** The name of the format in the header of every export. */
export const FORMAT = 'loci-export';
/** The version that this program writes. It reads no other. */
export const VERSION = 1;

/** One exported record, startup entry, change of concepts, label, golden query, audit entry or run. */
export type ExportItem =
  | { readonly type: 'startup'; readonly entry: StartupEntry }
  | { readonly type: 'label'; readonly label: Label }
  | { readonly type: 'golden_query'; readonly query: GoldenQuery }
  | { readonly type: 'record'; readonly record: ExportedRecord }
  | { readonly type: 'concept_change'; readonly change: ConceptChange }
  | { readonly type: 'audit'; readonly entry: AuditEntry }
  | { readonly type: 'history'; readonly row: HistoryDraft };

export const INITIAL_DIGEST: string = '0'.repeat(64);

/** The digest of an export up to and including this line: SHA-256 of the digest before it, followed by the line. */
export function updateDigest(digest: string, line: string): string {
  return sha256(digest + line);
}

const MAX_CONCEPT_NAME = 512;
/** The command for a split adds the note of each title. */
const MAX_CONCEPT_NAMES = 200;

const sha256Text = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256');

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

/** The last line: the number of lines before it, and their digest. */
const end = z.strictObject({ type: z.literal('end'), lines: z.number().int(), digest: sha256Text });
export type ExportEnd = z.infer<typeof end>;

const startup = z.strictObject({
  agent: z.string().max(128),
  key: z.string(),
  content: z.string(),
  priority: z.number().int().min(0).max(9),
  reinforce: z.boolean(),
  created_at: time,
  updated_at: time,
  deleted_at: time.nullable(),
});

/** A name of a concept, or the id of a note. */
const conceptName = z.string().min(1).max(MAX_CONCEPT_NAME);
const conceptNames = z.array(conceptName).min(1).max(MAX_CONCEPT_NAMES);
const changeFields = {
  id: uuid,
  at: time,
  actor: z.string().max(512),
  surface: z.string().max(512),
  project: z.string().min(1).max(512),
};
const conceptChange = z.discriminatedUnion('kind', [
  z.strictObject({ ...changeFields, kind: z.literal('merge'), into: conceptName, from: conceptNames }),
  z.strictObject({ ...changeFields, kind: z.literal('split'), from: conceptName, names: conceptNames }),
  z.strictObject({ ...changeFields, kind: z.literal('rename'), concept: conceptName, label: conceptName }),
  z.strictObject({ ...changeFields, kind: z.literal('undo'), change: uuid }),
]);

const audit = z.strictObject({
  chain: uuid,
  seq: z.number().int().positive(),
  at: z.number().int().min(MIN_TIME).max(MAX_TIME),
  actor: z.string(),
  surface: z.string(),
  action: z.string(),
  subject: z.string().nullable(),
  diff: jsonObject.nullable(),
  diff_hash: sha256Text.nullable(),
  previous: sha256Text,
  hash: sha256Text,
});

const label = z.strictObject({
  receipt: uuid,
  record: uuid,
  verdict: z.enum(VERDICTS),
  query: z.string().nullable(),
  query_hash: sha256Text.nullable(),
  project: z.string().nullable(),
  at: time,
  actor: z.string(),
});

/** More than a query has results. */
const MAX_GOLDEN_RESULTS = 1000;

const goldenQuery = z.strictObject({
  id: uuid,
  query: z.string(),
  project: z.string().nullable(),
  expected: z
    .array(
      z.strictObject({
        record: uuid,
        citation: z.string(),
        rank: z.number().int().positive().nullable(),
      }),
    )
    .max(MAX_GOLDEN_RESULTS),
  at: time,
  actor: z.string(),
});

const history = z.strictObject({
  category: z.enum(HISTORY_CATEGORIES),
  name: z.string(),
  surface: z.string(),
  actor: z.string(),
  inputs: jsonObject,
  outcome: z.string(),
  at: time,
  took_ms: z.number().int().nonnegative(),
  expires_at: time,
});

/** The fields of an item, in the order of every export, without the content of records and startup entries. */
export function fieldsOf(item: ExportItem): { readonly [name: string]: Json } {
  switch (item.type) {
    case 'record':
      return recordFields(item.record);
    case 'startup': {
      const { agent, key, priority, reinforce, createdAt, updatedAt, deletedAt } = item.entry;
      const times = { created_at: timeText(createdAt), updated_at: timeText(updatedAt) };
      const deleted = deletedAt === null ? null : timeText(deletedAt);
      return { agent, key, priority, reinforce, ...times, deleted_at: deleted };
    }
    case 'label': {
      const { receipt, record, verdict, query, queryHash, project, at, actor } = item.label;
      return { receipt, record, verdict, query, query_hash: queryHash, project, at: timeText(at), actor };
    }
    case 'golden_query': {
      const { id, query, project, expected, at, actor } = item.query;
      return { id, query, project, expected: expected as unknown as Json, at: timeText(at), actor };
    }
    case 'audit': {
      const { chain, seq, at, actor, surface, action, subject, diff, diffHash, previous, hash } = item.entry;
      // `at` stays a number because the hash covers it as a number.
      const fields = { chain, seq, at, actor, surface, action, subject, diff: diff as Json };
      return { ...fields, diff_hash: diffHash, previous, hash };
    }
    case 'concept_change': {
      const { id, at, actor, surface, project, ...detail } = item.change;
      return {
        id,
        at: timeText(at),
        actor,
        surface,
        project,
        ...(detail as unknown as Record<string, Json>),
      };
    }
    case 'history': {
      const { category, name, surface, actor, inputs, outcome, at, tookMs, expiresAt } = item.row;
      const fields = { category, name, surface, actor, inputs: inputs as Json, outcome, at: timeText(at) };
      return { ...fields, took_ms: tookMs, expires_at: timeText(expiresAt) };
    }
  }
}

export function formatLine(item: ExportItem): string {
  const content =
    item.type === 'record'
      ? { content: item.record.content }
      : item.type === 'startup'
        ? { content: item.entry.content }
        : {};
  return JSON.stringify({ type: item.type, ...fieldsOf(item), ...content });
}

/** Validates the fields of a line of this type. Returns the item, or a message that says what is wrong. */
export function parseItem(type: string, fields: unknown): ExportItem | string {
  switch (type) {
    case 'record': {
      const record = parseRecord(fields);
      return typeof record === 'string' ? record : { type, record };
    }
    case 'startup':
      return parseStartup(fields);
    case 'concept_change': {
      const change = parseWith(conceptChange, fields);
      return typeof change === 'string' ? change : { type, change };
    }
    case 'label':
      return parseLabel(fields);
    case 'golden_query': {
      const query = parseWith(goldenQuery, fields);
      return typeof query === 'string' ? query : { type, query };
    }
    case 'audit':
      return parseAudit(fields);
    case 'history':
      return parseHistory(fields);
    default:
      return `this version knows no lines of the type ${JSON.stringify(type.slice(0, 60))}`;
  }
}

function parseStartup(fields: unknown): ExportItem | string {
  const parsed = parseWith(startup, fields);
  if (typeof parsed === 'string') return parsed;
  const { created_at: createdAt, updated_at: updatedAt, deleted_at: deletedAt, ...rest } = parsed;
  return { type: 'startup', entry: { ...rest, createdAt, updatedAt, deletedAt } };
}

function parseAudit(fields: unknown): ExportItem | string {
  const parsed = parseWith(audit, fields);
  if (typeof parsed === 'string') return parsed;
  const { diff_hash: diffHash, ...rest } = parsed;
  return { type: 'audit', entry: { ...rest, diffHash } };
}

function parseLabel(fields: unknown): ExportItem | string {
  const parsed = parseWith(label, fields);
  if (typeof parsed === 'string') return parsed;
  const { query_hash: queryHash, ...rest } = parsed;
  return { type: 'label', label: { ...rest, queryHash } };
}

function parseHistory(fields: unknown): ExportItem | string {
  const parsed = parseWith(history, fields);
  if (typeof parsed === 'string') return parsed;
  const { took_ms: tookMs, expires_at: expiresAt, ...rest } = parsed;
  return { type: 'history', row: { ...rest, tookMs, expiresAt } };
}

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
