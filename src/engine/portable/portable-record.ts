import { z } from 'zod';
import { sha256 } from '../../core/hash.ts';
import { isDeeperThan } from '../../core/json-depth.ts';
import {
  ORIGINS,
  TRUST,
  type Json,
  type LociRecord,
  type Metadata,
  type Timestamp,
} from '../../core/types.ts';
import { TIMES } from '../../sources/files/dates.ts';

/** A record as an export tells it: everything that is canonical but the namespace, which is the reader's. */
export type PortableRecord = Omit<LociRecord, 'namespace'>;

/** ISO 8601; a time that no calendar has, in milliseconds since 1970. */
export function timeText(time: Timestamp): string | number {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toISOString();
}

/** Levels of a line; stores take 100 of metadata. */
const MAX_DEPTH = 110;

export const isoTime: z.ZodType<Timestamp> = z.union([z.string(), z.number()]).transform((given, context) => {
  const time = typeof given === 'number' ? given : Date.parse(given);
  // Whoever shows a record writes its times: one that cannot be written would hide every answer that it is in.
  if (Number.isSafeInteger(time) && time >= TIMES.first && time <= TIMES.last) return time;
  context.addIssue({ code: 'custom', message: 'expected a time in ISO 8601, of the years 1 to 9999' });
  return z.NEVER;
});

export const uuid: z.ZodType<string> = z
  .string()
  .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'expected a UUID in lower case');

const metadata = z.custom<Metadata>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);

const fields = {
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
  metadata,
  created_at: isoTime,
  updated_at: isoTime,
  deleted_at: isoTime.nullable(),
  expires_at: isoTime.nullable(),
  revision: z.string().nullable(),
  content_hash: z.string().optional(),
};

const recordSchema = z.strictObject({ ...fields, content: z.string() });

/** The fields of a record in the order in which every export has them, its content apart. */
export function recordFields(record: PortableRecord): { readonly [name: string]: Json } {
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
    created_at: timeText(record.createdAt),
    updated_at: timeText(record.updatedAt),
    deleted_at: record.deletedAt === null ? null : timeText(record.deletedAt),
    expires_at: record.expiresAt === null ? null : timeText(record.expiresAt),
    revision: record.revision,
    content_hash: record.contentHash,
  };
}

/** What is given, or in words what is wrong with it. */
export function recordOf(given: unknown): PortableRecord | string {
  const read = parsed(recordSchema, given);
  if (typeof read === 'string') return read;
  const { record_type, created_at, updated_at, deleted_at, expires_at, content_hash, ...rest } = read;
  const contentHash = sha256(rest.content);
  if (content_hash !== undefined && content_hash !== contentHash)
    return 'the content is not what content_hash says: it was changed or cut; without content_hash it is taken as it is';
  return {
    ...rest,
    recordType: record_type,
    createdAt: created_at,
    updatedAt: updated_at,
    deletedAt: deleted_at,
    expiresAt: expires_at,
    contentHash,
  };
}

/** What a schema makes of something that came from outside, or in words what is wrong with it. */
export function parsed<Value>(schema: z.ZodType<Value>, given: unknown): Value | string {
  if (isDeeperThan(MAX_DEPTH, given as Json)) return `it is nested deeper than ${String(MAX_DEPTH)} levels`;
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  const what = issue?.message ?? 'it is something else';
  return path === '' ? what : `${path}: ${what}`;
}
