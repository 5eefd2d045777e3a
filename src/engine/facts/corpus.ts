import { sha256 } from '../../core/ids.ts';
import { abridge } from '../../core/text/abridge.ts';
import { analyze } from '../../core/text/analyze.ts';
import type { Json, LociRecord } from '../../core/types.ts';
import { HISTORY_CATEGORIES, type HistoryRow } from '../../store/admin-model.ts';
import { historyRuns } from '../../store/items/kinds.ts';
import { isoTime } from '../fields/times.ts';
import { runText, HistoryLog } from '../audit/history-log.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { searchOutcome, searchResults } from '../records/search.ts';
import { factPath, runPath } from '../records/citations/corpus-path.ts';

const MAX_SNIPPET_LENGTH = 300;

export interface CorpusRequest {
  /** Without a query, all documents match, newest first. */
  readonly query?: string;
  readonly limit: number;
}

/** A document in the format of QMD, which OpenClaw uses to read documents from another memory (F7). */
interface CorpusDocument {
  /** The first six characters of the SHA-256 of `path`, so that a document keeps its id when its content changes. */
  readonly docid: string;
  /** A citation, which `get` accepts. */
  readonly path: string;
  readonly collection: 'facts' | 'pack_history' | 'pipeline_history';
  /** 0 to 1; 1 without a query. */
  readonly score: number;
  readonly title: string;
  readonly snippet: string;
  readonly content: string;
  readonly metadata: Readonly<Record<string, Json>>;
}

export interface Corpus {
  readonly documents: readonly CorpusDocument[];
}

/** How many runs of each category are compared with a query. Comparing all would block the event loop. */
const MAX_COMPARED_RUNS = 300;

/** The caller's facts, then its runs; of both the best first, and of equal scores the newest first. */
export async function corpus(context: EngineContext, request: CorpusRequest): Promise<Corpus> {
  await expire(context);
  await context.shared(HistoryLog).flush();
  const { query, limit } = request;
  const facts =
    query === undefined ? await newestFacts(context, limit) : await foundFacts(context, query, limit);
  const runs = (await runsOf(context, query === undefined ? limit : MAX_COMPARED_RUNS)).map(runDocument);
  const matching = query === undefined ? runs : matchRuns(runs, query);
  return { documents: [...facts.sort(bestFirst), ...matching.sort(bestFirst)].slice(0, limit) };
}

function bestFirst(a: CorpusDocument, b: CorpusDocument): number {
  return b.score - a.score || timestampOf(b) - timestampOf(a);
}

function timestampOf({ metadata }: CorpusDocument): number {
  return Date.parse(metadata['at'] as string);
}

async function newestFacts(
  { store, namespace, now }: EngineContext,
  limit: number,
): Promise<CorpusDocument[]> {
  const filter = { now: now(), origins: ['fact' as const] };
  const facts = await store.records.list(namespace, { filter }, { after: null, limit });
  return facts.map((fact) => factDocument(fact, 1, ''));
}

async function foundFacts(context: EngineContext, query: string, limit: number): Promise<CorpusDocument[]> {
  if (query.trim() === '') return [];
  const outcome = await searchOutcome(context, { query, origins: ['fact'], limit });
  const results = await searchResults(context, outcome);
  const facts = await context.store.records.get(
    context.namespace,
    results.map(({ id }) => id),
    { liveAt: context.now() },
  );
  const byId = new Map(facts.map((fact) => [fact.id, fact]));
  return outcome.hits.flatMap(({ confidence }, i) => {
    const { id, snippet } = results[i]!;
    const fact = byId.get(id);
    return fact === undefined ? [] : [factDocument(fact, confidence, snippet)];
  });
}

function factDocument(fact: LociRecord, score: number, snippet: string): CorpusDocument {
  const { category, key, content, id, tags, trust, createdAt, expiresAt } = fact;
  const path = factPath(fact);
  return {
    docid: docidOf(path),
    path,
    collection: 'facts',
    score,
    title: key ?? '',
    snippet: snippet === '' ? abridge(content, MAX_SNIPPET_LENGTH) : snippet,
    content,
    metadata: {
      id,
      category,
      key,
      tags: [...tags],
      trust,
      at: isoTime(createdAt),
      expires_at: expiresAt === null ? null : isoTime(expiresAt),
    },
  };
}

async function runsOf({ store, namespace, now }: EngineContext, limit: number): Promise<HistoryRow[]> {
  const page = { after: null, limit };
  const rows = HISTORY_CATEGORIES.map((category) =>
    historyRuns(store.records, namespace, { category, now: now() }, page),
  );
  return (await Promise.all(rows)).flat();
}

function runDocument(run: HistoryRow): CorpusDocument {
  const content = runText(run);
  const { category, id, name, surface, actor, outcome, at } = run;
  const path = runPath(run);
  return {
    docid: docidOf(path),
    path,
    collection: category,
    score: 1,
    title: name,
    snippet: abridge(content, MAX_SNIPPET_LENGTH),
    content,
    metadata: { id, category, name, surface, actor, outcome, at: isoTime(at) },
  };
}

/** The runs that contain words of the query. The score is the share of the query's words. */
function matchRuns(runs: readonly CorpusDocument[], query: string): CorpusDocument[] {
  const queryTerms = new Set(analyze(query).map(({ term }) => term));
  if (queryTerms.size === 0) return [];
  return runs.flatMap((run) => {
    const terms = new Set(analyze(run.content).map(({ term }) => term));
    const shared = [...queryTerms].filter((term) => terms.has(term)).length;
    return shared === 0 ? [] : [{ ...run, score: shared / queryTerms.size }];
  });
}

function docidOf(path: string): string {
  return sha256(path).slice(0, 6);
}
