import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import { localTime, storedTime } from '../../../core/time/whole-day.ts';
import { ORIGINS, TRUST } from '../../../core/types.ts';
import { lowerTrust } from '../../access/permission.ts';
import type { EngineContext } from '../../context.ts';
import { TTL_SECONDS } from '../../facts/fact-fields.ts';
import { assertNotReserved, assertWithinLimits } from '../../fields/limits.ts';
import { screenTexts } from '../../records/screen.ts';
import { assertShort, readPage, type ExportedRecord, type ItemType, type Screened } from './item-type.ts';
import { jsonObject, lineFormat, time, timeOrNull, uuid } from './line-format.ts';

const schema = z.strictObject({
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
  deleted_at: timeOrNull,
  expires_at: timeOrNull,
  revision: z.string().nullable(),
  content_hash: z.string().optional(),
  content: z.string(),
});
const line = lineFormat(schema, schema.shape);

const RECORDS_PER_READ = 100;

export const record: ItemType<ExportedRecord> = {
  format: {
    fields: (value) => line.fields({ ...value, createdAt: storedTime(value) }),
    parse(fields) {
      const parsed = line.parse(fields);
      if (typeof parsed === 'string') return parsed;
      const contentHash = sha256(parsed.content);
      if (parsed.contentHash !== undefined && parsed.contentHash !== contentHash)
        return 'the content does not match content_hash: it was changed or cut. A record without content_hash is not checked';
      return { ...parsed, createdAt: localTime(parsed), contentHash };
    },
  },
  async read({ store, namespace, now }, position) {
    const { items, next } = await readPage(
      (page) => store.records.list(namespace, { scan: 'exportable', now: now() }, page),
      ({ id }) => id,
      position,
      RECORDS_PER_READ,
    );
    return { items: items.map(({ namespace: _, ...each }) => each), next };
  },
  screen: screenRecord,
};

/** One day more than the longest life of a fact, because the clocks of two machines differ. */
const MAX_FACT_LIFE_MS = (TTL_SECONDS.max + 24 * 60 * 60) * 1000;

/**
 * Applies the rules of a write to a record: limits, secrets, and a trust no higher than the caller's. Records of vaults
 * and sources are stored as they were read, without these checks.
 * @throws LociError `invalid_input`, `secret_refused`, `forbidden` for a record that only the operator may import
 */
async function screenRecord(
  context: EngineContext,
  record: ExportedRecord,
): Promise<Screened<ExportedRecord>> {
  const { caller } = context;
  const isOperator = caller.trust === 'operator';
  if (!isOperator && record.origin !== 'memory' && record.origin !== 'fact')
    throw new LociError('forbidden', `its origin is ${record.origin}: only the operator may import those`);
  if (record.origin === 'vault' || record.origin === 'source') return { value: record, masked: [] };
  assertValidRecord(record, context.now());
  if (!isOperator && record.origin === 'memory' && record.expiresAt !== null)
    throw new LociError('forbidden', 'it expires and is not a fact: only the operator may import those');
  const { content, title, category, recordType, project, tags, metadata, key } = record;
  const fields = { content, title, category, recordType, project, tags, metadata };
  // An agent's import does not choose the fields by which sources recognise their documents.
  const sourceFields = isOperator
    ? { source: record.source, identity: record.identity, revision: record.revision }
    : { source: caller.surface, identity: null, revision: null };
  const { texts, masked } = await screenTexts(context, {
    ...fields,
    ...sourceFields,
    ...(key !== null && { key }),
  });
  const contentHash = texts.content === content ? record.contentHash : sha256(texts.content);
  const trust = lowerTrust(record.trust, caller.trust);
  return { value: { ...record, ...texts, contentHash, trust }, masked };
}

function assertValidRecord(record: ExportedRecord, now: number): void {
  const { content, title, category, recordType, project, tags, metadata, key, origin, expiresAt } = record;
  assertShort({ source: record.source, identity: record.identity, revision: record.revision });
  assertNotReserved(category);
  // The title of a fact is its key, which may be longer than other titles.
  const titleField = origin === 'fact' && title === key ? {} : { title };
  assertWithinLimits({
    content,
    category,
    recordType,
    project,
    tags,
    metadata,
    ...titleField,
    ...(key !== null && { key }),
  });
  if (origin !== 'fact') return;
  if (key === null) throw new LociError('invalid_input', 'it is a fact without a key');
  if (expiresAt === null || expiresAt > now + MAX_FACT_LIFE_MS)
    throw new LociError('invalid_input', 'it is a fact that lives longer than 365 days');
}
