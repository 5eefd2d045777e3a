import { z } from 'zod';
import { sha256 } from '../../../core/ids.ts';
import { exceedsDepth, isJsonMap } from '../../../core/json.ts';
import {
  ORIGINS,
  TRUST,
  type Json,
  type LociRecord,
  type Metadata,
  type Timestamp,
} from '../../../core/types.ts';
import { safeParse } from '../../../core/safe-parse.ts';
import { localTime, storedTime } from '../../../core/time/whole-day.ts';
import { MAX_TIME, MIN_TIME } from '../../../sources/files/file-time.ts';

/** A record as it is exported: without its namespace, because an import uses the namespace of its caller. */
export type ExportedRecord = Omit<LociRecord, 'namespace'>;

/** ISO 8601, or the number of milliseconds for a time outside the range of `Date`. */
export function timeText(at: Timestamp): string | number {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : date.toISOString();
}

/** Nesting of a line. Stores accept 100 levels of metadata. */
const MAX_DEPTH = 110;

export const time: z.ZodType<Timestamp> = z.union([z.string(), z.number()]).transform((given, context) => {
  const at = typeof given === 'number' ? given : Date.parse(given);
  // Every answer formats the times of its records: one time that cannot be formatted would make whole answers fail.
  if (Number.isSafeInteger(at) && at >= MIN_TIME && at <= MAX_TIME) return at;
  context.addIssue({ code: 'custom', message: 'expected a time in ISO 8601, of the years 1 to 9999' });
  return z.NEVER;
});

export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'expected a UUID in lower case');

/** A custom check, so that the object passes through unchanged, a key such as `__proto__` included. */
export const jsonObject = z.custom<Metadata>(isJsonMap, 'expected an object');

const recordSchema = z.strictObject({
  id: z.number().int().min(1),
  uuid,
  project: z.string(),
  origin: z.enum(ORIGINS),
  source: z.string(),
  trust: z.enum(TRUST),
  key: z.string().nullable(),
  identity: z.string().nullable(),
  category: z.string(),
  record_type: z.string(),
  title: z.string(),
  tags: z.array(z.string()),
  metadata: jsonObject,
  created_at: time,
  updated_at: time,
  deleted_at: time.nullable(),
  expires_at: time.nullable(),
  revision: z.string().nullable(),
  content_hash: z.string().optional(),
  content: z.string(),
});

/** The fields of a record without its content, in the order of every export. */
export function recordFields(record: ExportedRecord): { readonly [name: string]: Json } {
  return {
    id: record.id,
    uuid: record.uuid,
    project: record.project,
    origin: record.origin,
    source: record.source,
    trust: record.trust,
    key: record.key,
    identity: record.identity,
    category: record.category,
    record_type: record.recordType,
    title: record.title,
    tags: [...record.tags],
    metadata: record.metadata,
    created_at: timeText(storedTime(record)),
    updated_at: timeText(record.updatedAt),
    deleted_at: record.deletedAt === null ? null : timeText(record.deletedAt),
    expires_at: record.expiresAt === null ? null : timeText(record.expiresAt),
    revision: record.revision,
    content_hash: record.contentHash,
  };
}

/** Returns the record, or a message that says what is wrong. */
export function parseRecord(fields: unknown): ExportedRecord | string {
  const parsed = parseWith(recordSchema, fields);
  if (typeof parsed === 'string') return parsed;
  const { record_type, created_at, updated_at, deleted_at, expires_at, content_hash, ...rest } = parsed;
  const contentHash = sha256(rest.content);
  if (content_hash !== undefined && content_hash !== contentHash)
    return 'the content does not match content_hash: it was changed or cut. A record without content_hash is not checked';
  return {
    ...rest,
    recordType: record_type,
    createdAt: localTime({ ...rest, createdAt: created_at }),
    updatedAt: updated_at,
    deletedAt: deleted_at,
    expiresAt: expires_at,
    contentHash,
  };
}

/** Returns the validated value, or a message that says what is wrong with it. */
export function parseWith<Value>(schema: z.ZodType<Value>, value: unknown): Value | string {
  if (exceedsDepth(MAX_DEPTH, value as Json)) return `it is nested deeper than ${String(MAX_DEPTH)} levels`;
  const result = safeParse(schema, value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  const message = issue?.message ?? 'it is not valid';
  return path === '' ? message : `${path}: ${message}`;
}
