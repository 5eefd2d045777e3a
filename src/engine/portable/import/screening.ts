import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import type { ConceptChange } from '../../../store/concept-model.ts';
import type { GoldenQuery, Label } from '../../../store/item-model.ts';
import type { HistoryDraft, StartupEntry } from '../../../store/admin-model.ts';
import type { EngineContext } from '../../context.ts';
import { assertNotReserved, TTL_SECONDS } from '../../facts/facts.ts';
import { RUN_LIFETIME_MS } from '../../audit/history-log.ts';
import { MAX_KEY_LENGTH, assertWithinLimits } from '../../records/limits.ts';
import { lowerTrust } from '../../access/permission.ts';
import { screenTexts } from '../../records/screen.ts';
import { assertValidEntry } from '../../startup/startup.ts';
import type { ExportedRecord } from '../format/export-record.ts';

interface Screened<Value> {
  readonly value: Value;
  /** Kinds of secrets that were masked. */
  readonly masked: readonly string[];
}

/** One day more than the longest life of a fact, because the clocks of two machines differ. */
const MAX_FACT_LIFE_MS = (TTL_SECONDS.max + 24 * 60 * 60) * 1000;

/**
 * Applies the rules of a write to a record: limits, secrets, and a trust no higher than the caller's. Records of vaults
 * and sources are stored as they were read, without these checks.
 * @throws LociError `invalid_input`, `secret_refused`, `forbidden` for a record that only the operator may import
 */
export async function screenRecord(
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
  for (const field of ['source', 'identity', 'revision'] as const) assertShort(field, record[field] ?? '');
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

function assertShort(field: string, text: string): void {
  if (text.length > MAX_KEY_LENGTH)
    throw new LociError(
      'invalid_input',
      `${field} has ${String(text.length)} characters; the limit is ${String(MAX_KEY_LENGTH)}`,
    );
}

/** @throws LociError `invalid_input`, `secret_refused`, `forbidden` unless the operator imports */
export async function screenStartup(
  context: EngineContext,
  entry: StartupEntry,
): Promise<Screened<StartupEntry>> {
  if (context.caller.trust !== 'operator')
    throw new LociError('forbidden', 'it is a startup entry: only the operator may import those');
  const { agent, key, content } = entry;
  assertValidEntry({ agent, key, content });
  const { texts, masked } = await screenTexts(context, { agent, key, content });
  return { value: { ...entry, ...texts }, masked };
}

/** @throws LociError `invalid_input`, `secret_refused` */
export async function screenLabel(context: EngineContext, label: Label): Promise<Screened<Label>> {
  const { query, actor, project } = label;
  assertShort('actor', actor);
  assertShort('project', project ?? '');
  const { texts, masked } = await screenTexts(context, { content: query ?? '' });
  return { value: { ...label, query: query === null ? null : texts.content }, masked };
}

/** @throws LociError `invalid_input`, `secret_refused` */
export async function screenGoldenQuery(
  context: EngineContext,
  golden: GoldenQuery,
): Promise<Screened<GoldenQuery>> {
  const { query, actor, project, expected } = golden;
  assertShort('actor', actor);
  assertShort('project', project ?? '');
  for (const { citation } of expected) assertShort('citation', citation);
  // One that was removed has neither a text nor expected records.
  if (expected.length > 0 && query.trim() === '')
    throw new LociError('invalid_input', 'the text of the golden query is blank');
  const { texts, masked } = await screenTexts(context, { content: query });
  return { value: { ...golden, query: texts.content }, masked };
}

/**
 * Applies the rules of a run that is recorded here, its expiry included.
 * @throws LociError `invalid_input`, `secret_refused`
 */
export async function screenRun(context: EngineContext, run: HistoryDraft): Promise<Screened<HistoryDraft>> {
  const { name, surface, actor, outcome, inputs } = run;
  const fields = { name, surface, actor, outcome };
  for (const [field, text] of Object.entries(fields)) assertShort(field, text);
  assertWithinLimits({ metadata: inputs });
  const { texts, masked } = await screenTexts(context, { ...fields, metadata: inputs });
  const { metadata, ...rest } = texts;
  const expiresAt = Math.min(run.expiresAt, context.now() + RUN_LIFETIME_MS);
  return { value: { ...run, ...rest, inputs: metadata, expiresAt }, masked };
}

/** Applies the rules of the label that a rename gives. @throws LociError `invalid_input`, `secret_refused` */
export async function screenConceptChange(
  context: EngineContext,
  change: ConceptChange,
): Promise<Screened<ConceptChange>> {
  if (change.kind !== 'rename') return { value: change, masked: [] };
  assertWithinLimits({ title: change.label });
  const { texts, masked } = await screenTexts(context, { title: change.label });
  return { value: { ...change, label: texts.title }, masked };
}
