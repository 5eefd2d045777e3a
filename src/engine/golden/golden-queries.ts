import { LociError } from '../../core/errors.ts';
import { uuidv7 } from '../../core/ids.ts';
import type { MissingSignal } from '../../search/retrieve/signals.ts';
import type { AuditDraft } from '../../store/admin-model.ts';
import type { GoldenQuery, GoldenResult, StoredGoldenQuery } from '../../store/item-model.ts';
import { goldenQueryPut, storedGoldenQueries } from '../../store/items/kinds.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { wholeCitations } from '../shared/citations.ts';
import { resolveCitation } from '../records/citations/resolve-citation.ts';
import { screenTexts } from '../records/screen.ts';
import { searchOutcome } from '../records/search.ts';

/** Results of a search in which an expected record is looked for. */
export const DEFAULT_GOLDEN_LIMIT = 10;
const DEFAULT_COUNT = 5;

export interface GoldenRequest {
  readonly query: string;
  /** The project to which the search is limited. */
  readonly project?: string | null;
  /** Citations of the records that the query should find; without them, the first results of a search now. */
  readonly expect?: readonly string[];
  /** Results to record, if there are as many; 5 unless given. */
  readonly count?: number;
  /** Records nothing, and returns what it would record. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** A new golden query, and what the search for its ranks could not do. */
export interface RecordedGolden extends GoldenQuery, SearchGaps {}

interface SearchGaps {
  /** Signals that could not answer, and why. */
  readonly missing: readonly MissingSignal[];
  readonly notices: readonly string[];
}

/**
 * Records what a query finds now, or what it should find. It replaces what was recorded for the same query and project.
 * @throws LociError `invalid_input` for a query without results; `not_found`, `ambiguous` for an expected record;
 *   `secret_refused`
 */
export async function recordGolden(
  context: EngineContext,
  { query: given, project = null, expect = [], count = DEFAULT_COUNT, dryRun = false, signal }: GoldenRequest,
): Promise<RecordedGolden> {
  const { texts } = await screenTexts(context, { content: given.trim() });
  const query = texts.content;
  const { found, ...gaps } = await foundRecords(context, {
    query,
    project,
    signal,
    limit: Math.max(count, DEFAULT_GOLDEN_LIMIT),
  });
  const expected =
    expect.length === 0 ? found.slice(0, count) : await expectedRecords(context, expect, found);
  if (expected.length === 0)
    throw new LociError('invalid_input', 'the query finds nothing', {
      hint: 'Name what it should find: `--expect CITATION`.',
    });
  const before = (await goldenQueries(context)).find(
    (each) => each.query === query && each.project === project,
  );
  const { now, caller } = context;
  const golden = {
    id: before?.id ?? uuidv7(now()),
    query,
    project,
    expected,
    at: now(),
    actor: caller.actor,
  };
  if (!dryRun) await put(context, 'golden-record', before, golden);
  return { ...golden, ...gaps };
}

/** Removes a golden query. An import of an older export does not bring it back. @throws LociError `not_found` */
export async function removeGolden(context: EngineContext, idOrQuery: string): Promise<GoldenQuery> {
  const all = await goldenQueries(context);
  const before =
    all.find(({ id }) => id === idOrQuery.toLowerCase()) ?? all.find(({ query }) => query === idOrQuery);
  if (before === undefined)
    throw new LociError('not_found', `there is no golden query ${JSON.stringify(idOrQuery.slice(0, 60))}`, {
      hint: '`loci golden list` shows them with their ids.',
    });
  const { sequence: _, ...golden } = before;
  // One that was recorded just now must not win over its removal.
  const at = Math.max(context.now(), before.at + 1);
  const removed = { ...golden, query: '', expected: [], at, actor: context.caller.actor };
  await put(context, 'golden-remove', before, removed);
  return golden;
}

/** The golden queries of the caller's namespace, in the order in which they were recorded. */
export async function goldenQueries(context: EngineContext): Promise<StoredGoldenQuery[]> {
  return (await allGoldenQueries(context)).filter(({ expected }) => expected.length > 0);
}

const PAGE_SIZE = 500;

/** With those that were removed. */
export async function allGoldenQueries({ store, namespace }: EngineContext): Promise<StoredGoldenQuery[]> {
  const all: StoredGoldenQuery[] = [];
  for (;;) {
    const page = { after: all.at(-1)?.sequence ?? null, limit: PAGE_SIZE };
    const queries = await storedGoldenQueries(store.records, namespace, page);
    all.push(...queries);
    if (queries.length < PAGE_SIZE) return all;
  }
}

/** The audit entry for a new or changed golden query. It has no query. */
export function goldenAuditDraft(
  context: EngineContext,
  action: string,
  before: GoldenQuery | undefined,
  after: GoldenQuery,
): AuditDraft {
  const recordsOf = (golden: GoldenQuery | undefined) => golden?.expected.map(({ record }) => record) ?? [];
  const expected = { before: recordsOf(before), after: recordsOf(after) };
  return auditDraft(context, action, `golden:${after.id}`, { expected });
}

function put(
  context: EngineContext,
  action: string,
  before: GoldenQuery | undefined,
  golden: GoldenQuery,
): Promise<unknown> {
  return context.store.records.commit(context.namespace, {
    items: [goldenQueryPut(golden)],
    audit: [goldenAuditDraft(context, action, before, golden)],
  });
}

async function foundRecords(
  context: EngineContext,
  {
    query,
    project,
    signal,
    limit,
  }: { query: string; project: string | null; signal: AbortSignal | undefined; limit: number },
): Promise<SearchGaps & { readonly found: readonly GoldenResult[] }> {
  const { hits, retrieved, notices } = await searchOutcome(context, {
    ...{ query, limit, related: 0, operators: true },
    ...(project !== null && { project }),
    ...(signal !== undefined && { signal }),
  });
  const found = await citedRecords(
    context,
    hits.map(({ passage }) => passage.record.id),
  );
  return { found, notices, missing: retrieved.missing };
}

/** The records of search results, with the citations of whole records and their ranks. */
export async function citedRecords(
  context: EngineContext,
  ids: readonly number[],
): Promise<(GoldenResult & { readonly rank: number })[]> {
  const records = await context.store.records.get(context.namespace, ids, { liveAt: context.now() });
  const byId = new Map(records.map((record) => [record.id, record]));
  const ranked = ids.flatMap((id, i) => {
    const record = byId.get(id);
    return record === undefined ? [] : [{ record, rank: i + 1 }];
  });
  const citations = await wholeCitations(
    context,
    ranked.map(({ record }) => record),
  );
  return ranked.map(({ record: { uuid }, rank }, i) => ({ record: uuid, citation: citations[i]!, rank }));
}

async function expectedRecords(
  context: EngineContext,
  citations: readonly string[],
  found: readonly GoldenResult[],
): Promise<GoldenResult[]> {
  const expected = new Map<string, GoldenResult>();
  for (const citation of citations) {
    const { record } = await resolveCitation(context, citation);
    const [cited = citation] = await wholeCitations(context, [record]);
    const rank = found.find((each) => each.record === record.uuid)?.rank ?? null;
    expected.set(record.uuid, { record: record.uuid, citation: cited, rank });
  }
  return [...expected.values()];
}
