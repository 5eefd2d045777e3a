import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/hash.ts';
import type { LociRecord } from '../../core/types.ts';
import type { HistoryDraft } from '../../store/history.ts';
import type { StartupEntry } from '../../store/startup.ts';
import type { EngineContext } from '../context.ts';
import { assertNotReserved, TTL } from '../facts/facts.ts';
import { KEEP_FOR } from '../audit/history-log.ts';
import { MAX_KEY, assertWithinLimits } from '../records/limits.ts';
import { lowerTrust } from '../access/permission.ts';
import { screened } from '../records/screen.ts';
import { assertValidEntry } from '../startup/startup.ts';
import type { PortableRecord } from './portable-record.ts';

export interface Fit<Thing> {
  readonly thing: Thing;
  /** Kinds of secrets that were masked. */
  readonly masked: readonly string[];
}

/** A day more than a fact may live: the clocks of two machines differ. */
const LONGEST_LIFE = (TTL.most + 24 * 60 * 60) * 1000;

/**
 * A record as it may be kept here: within the limits of a write and without its secrets, where it is not what a vault or
 * a source brought, and trusted no more than whoever imports it.
 * @throws LociError `invalid_input`, `secret_refused`, `forbidden` for what only the operator's own hand may bring
 */
export async function fitRecord(
  context: EngineContext,
  record: PortableRecord,
): Promise<Fit<PortableRecord>> {
  const { caller } = context;
  const trust = lowerTrust(record.trust, caller.trust);
  const isOperator = caller.trust === 'operator';
  if (!isOperator && record.origin !== 'memory' && record.origin !== 'fact')
    throw new LociError(
      'forbidden',
      `it is of the origin ${record.origin}: only the operator may import those`,
    );
  // Notes are kept as they are read: nobody writes them here.
  if (isSourced(record)) return { thing: record, masked: [] };
  refuseUnfitRecord(record, context.now());
  if (!isOperator && record.origin === 'memory' && record.expiresAt !== null)
    throw new LociError('forbidden', 'it expires and is no fact: only the operator may import those');
  const { content, title, category, recordType, project, tags, metadata, key } = record;
  const given = { content, title, category, recordType, project, tags, metadata };
  // Sources know their documents by these: nobody reads them, and a written record has none.
  const marks = isOperator
    ? { source: record.source, identity: record.identity, revision: record.revision }
    : { source: caller.surface, identity: null, revision: null };
  const { texts, masked } = await screened(context, { ...given, ...marks, ...(key !== null && { key }) });
  const contentHash = texts.content === content ? record.contentHash : sha256(texts.content);
  return { thing: { ...record, ...texts, contentHash, trust }, masked };
}

function isSourced({ origin }: Pick<LociRecord, 'origin'>): boolean {
  return origin === 'vault' || origin === 'source';
}

function refuseUnfitRecord(record: PortableRecord, now: number): void {
  const { content, title, category, recordType, project, tags, metadata, key, origin, expiresAt } = record;
  for (const mark of ['source', 'identity', 'revision'] as const) {
    const length = record[mark]?.length ?? 0;
    if (length > MAX_KEY)
      throw new LociError(
        'invalid_input',
        `${mark} has ${String(length)} characters; at most ${String(MAX_KEY)} fit`,
      );
  }
  assertNotReserved(category);
  // A fact is found by its key, which may be longer than a title.
  const named = origin === 'fact' && title === key ? {} : { title };
  assertWithinLimits({
    content,
    category,
    recordType,
    project,
    tags,
    metadata,
    ...named,
    ...(key !== null && { key }),
  });
  if (origin !== 'fact') return;
  if (key === null) throw new LociError('invalid_input', 'it is a fact without a key');
  if (expiresAt === null || expiresAt > now + LONGEST_LIFE)
    throw new LociError('invalid_input', 'it is a fact that lives longer than 365 days');
}

/** @throws LociError `invalid_input`, `secret_refused`; `forbidden` where agents would write what agents are told */
export async function fitStartup(context: EngineContext, entry: StartupEntry): Promise<Fit<StartupEntry>> {
  if (context.caller.trust !== 'operator')
    throw new LociError('forbidden', 'it is a startup entry: only the operator may import those');
  const { agent, key, content } = entry;
  assertValidEntry({ agent, key, content });
  const { texts, masked } = await screened(context, { agent, key, content });
  return { thing: { ...entry, ...texts }, masked };
}

/**
 * A run as it may be kept here, no longer than one that is noted here.
 * @throws LociError `invalid_input`, `secret_refused`
 */
export async function fitRun(context: EngineContext, run: HistoryDraft): Promise<Fit<HistoryDraft>> {
  const { name, surface, actor, outcome, inputs } = run;
  const said = { name, surface, actor, outcome };
  for (const [field, text] of Object.entries(said))
    if (text.length > MAX_KEY)
      throw new LociError(
        'invalid_input',
        `${field} has ${String(text.length)} characters; at most ${String(MAX_KEY)} fit`,
      );
  assertWithinLimits({ metadata: inputs });
  const { texts, masked } = await screened(context, { ...said, metadata: inputs });
  const { metadata, ...rest } = texts;
  const expiresAt = Math.min(run.expiresAt, context.now() + KEEP_FOR);
  return { thing: { ...run, ...rest, inputs: metadata, expiresAt }, masked };
}
