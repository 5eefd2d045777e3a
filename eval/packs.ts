import type { LociRecord, Span } from '../src/core/types.ts';
import { type Candidate, passageSpan } from '../src/pack/candidate.ts';
import { bestSentence, type TermWeights } from '../src/pack/levels/excerpt.ts';
import { buildPack, candidatesFor, EMPTY_BELOW } from '../src/pack/pack.ts';
import { sectionQuery, withPassages } from '../src/engine/packs/memory-pack.ts';
import { idfWeight } from '../src/search/retrieve/text.ts';
import { shownText, trimSpan } from '../src/pack/text/span.ts';
import { loadTokenCounter, TOKENIZER, type CountTokens } from '../src/pack/tokens.ts';
import { LociError } from '../src/core/errors.ts';
import { MIN_SURE_CONFIDENCE, type Hit } from '../src/search/rank/confidence.ts';
import type { SearchOutcome } from '../src/search/search.ts';
import { openGrep } from './baselines/grep.ts';
import { engineSearch, type EngineOptions } from './engine-system.ts';
import { namespaceOf, storedRecords, type IndexedSet } from './index-cache.ts';
import { longestPrefix } from './longest-prefix.ts';
import { mean } from './metrics.ts';
import type { Model } from './model.ts';
import { Progress } from './progress.ts';
import { documentIds } from './records.ts';
import type { PackRecalls } from './results.ts';
import { spread } from './run.ts';
import type { EvalCollection, EvalQuery, EvalSet } from './sets.ts';

/** A shorter part of a section is no memory of it. */
const MIN_EXCERPT_TOKENS = 60;

const BUDGETS: readonly number[] = [500, 1000, 2000, 4000];

/** What fills the budget: a pack, the full texts of the same search, or the files that an agent with grep would read. */
const PACK_SYSTEMS = ['pack', 'full texts', 'files'] as const;
type PackSystem = (typeof PACK_SYSTEMS)[number];

const CANDIDATES = candidatesFor(Math.max(...BUDGETS));

interface PackOptions extends Omit<EngineOptions, 'name'> {
  /** Maximum number of queries of each collection. */
  readonly limit?: number;
  readonly systems?: readonly PackSystem[];
  readonly signal?: AbortSignal;
}

/**
 * Recall at budget. A document counts where the text holds the passage of it that the search matched best, or at least 60 tokens of that
 * passage with the sentence that has most of the query (`bestSentence`). For a document that the search did not find, the passage is all
 * of its text.
 * @throws LociError `aborted`, and the errors of the search
 */
export async function recallAtBudget(
  set: EvalSet,
  indexed: IndexedSet,
  { embedder }: Model,
  options: PackOptions,
): Promise<PackRecalls> {
  const { limit = Infinity, systems = PACK_SYSTEMS, signal } = options;
  const search = engineSearch(set, indexed, embedder, options);
  const count = await loadTokenCounter();
  const grep = openGrep(set);
  const recalls = new Map(systems.map((system) => [system, BUDGETS.map((): number[] => [])]));
  const progress = new Progress(`${set.name}, packs`, 'queries');
  const selected = set.collections.map((collection) => ({
    collection,
    queries: spread(
      collection.queries.filter(({ gold }) => gold.length > 0),
      limit,
    ),
  }));
  const total = selected.reduce((sum, { queries }) => sum + queries.length, 0);
  let done = 0;
  for (const { collection, queries } of selected) {
    const records = await collectionRecords(set, indexed, collection);
    for (const query of queries) {
      if (signal?.aborted === true) throw new LociError('aborted', 'the evaluation was stopped');
      const { q, src } = query;
      const found = await search(collection.id, q, {
        limit: CANDIDATES,
        ...(src !== undefined && { src }),
      });
      const task = await PackTask.create(query, found, records, count);
      const read = systems.includes('files') ? (await grep.rank(collection.id, q)).ids : [];
      for (const [system, values] of recalls)
        for (const [i, budget] of BUDGETS.entries()) values[i]!.push(await task.recall(system, budget, read));
      progress.report(++done, total);
    }
  }
  progress.end();
  const means = [...recalls].map(([system, values]) => [
    system,
    Object.fromEntries(BUDGETS.map((budget, i) => [String(budget), mean(values[i]!)])),
  ]);
  return Object.fromEntries(means) as PackRecalls;
}

interface CollectionRecords {
  readonly byId: ReadonlyMap<number, LociRecord>;
  readonly byDocument: ReadonlyMap<string, LociRecord>;
  readonly documentId: DocumentId;
}

async function collectionRecords(
  set: EvalSet,
  { store }: IndexedSet,
  collection: EvalCollection,
): Promise<CollectionRecords> {
  const documentId = documentIds(collection);
  const stored = [...(await storedRecords(store, namespaceOf(set, collection.id))).values()];
  return {
    byId: new Map(stored.map((record) => [record.id, record])),
    byDocument: new Map(stored.map((record) => [documentId(record), record])),
    documentId,
  };
}

/** One query: its candidates, and the texts that systems make of them. */
class PackTask {
  readonly #query: EvalQuery;
  readonly #candidates: readonly Candidate[];
  readonly #outcome: SearchOutcome;
  readonly #records: CollectionRecords;
  readonly #count: CountTokens;
  readonly #judge: Judge;

  private constructor(
    query: EvalQuery,
    outcome: SearchOutcome,
    records: CollectionRecords,
    candidates: readonly Candidate[],
    count: CountTokens,
  ) {
    this.#query = query;
    this.#outcome = outcome;
    this.#candidates = candidates;
    this.#records = records;
    this.#count = count;
    this.#judge = new Judge(records, candidates, termWeights(outcome), count);
  }

  static async create(
    query: EvalQuery,
    outcome: SearchOutcome,
    records: CollectionRecords,
    count: CountTokens,
  ): Promise<PackTask> {
    const hits = outcome.hits.filter(({ passage }) => records.documentId(passage.record) !== query.src);
    const best = hits[0];
    const isEmpty = best === undefined || best.confidence < EMPTY_BELOW;
    const found = isEmpty
      ? []
      : hits.map((hit) => candidateOf(records.byId.get(hit.passage.record.id)!, hit, hit.score / best.score));
    const candidates = await withPassages(outcome.run.store, outcome.run.namespace, outcome, found);
    return new PackTask(query, outcome, records, candidates, count);
  }

  /** @param read the files that an agent with grep reads, in order */
  async recall(system: PackSystem, budget: number, read: readonly string[]): Promise<number> {
    const { byId, byDocument, documentId } = this.#records;
    if (system === 'pack') {
      const candidates = this.#candidates.slice(0, candidatesFor(budget));
      const { receipt } = await buildPack({
        ...{ query: sectionQuery(this.#outcome), budget, candidates, count: this.#count },
        ...{ fence: 'loci-pack', tokenizer: TOKENIZER },
        findCredentials: () => Promise.resolve({ secrets: [], inTitle: false }),
        embeds: [],
        isUnsure: (candidates[0]?.score ?? 0) < MIN_SURE_CONFIDENCE,
      });
      return this.#judge.recall(this.#query, shownSpans(receipt, candidates, documentId));
    }
    const records =
      system === 'files'
        ? read.flatMap((id) => (id === this.#query.src ? [] : (byDocument.get(id) ?? [])))
        : this.#candidates.map(({ record: { id } }) => byId.get(id)!);
    return this.#judge.recall(this.#query, fullTexts(records, budget, this.#count, documentId));
  }
}

function candidateOf(record: LociRecord, { passage, confidence }: Hit, relevance: number): Candidate {
  const citation = record.origin === 'vault' ? record.key! : `record/${String(record.id)}`;
  return {
    ...{ record, passage, score: confidence, relevance, passages: [] },
    lane: 'search',
    path: null,
    via: null,
    citation,
    excluded: null,
    secrets: [],
  };
}

type DocumentId = ReturnType<typeof documentIds>;

/** What a pack shows of each document. */
function shownSpans(
  { pieces }: Awaited<ReturnType<typeof buildPack>>['receipt'],
  candidates: readonly Candidate[],
  documentId: DocumentId,
): Map<string, Span[]> {
  const shown = new Map<string, Span[]>();
  for (const { candidate, field, bytes } of pieces) {
    if (field !== 'content') continue;
    const { record } = candidates[candidate]!;
    const id = documentId(record);
    const content = Buffer.from(record.content);
    const start = content.subarray(0, bytes.start).toString().length;
    const end = start + content.subarray(bytes.start, bytes.end).toString().length;
    shown.set(id, [...(shown.get(id) ?? []), { start, end }]);
  }
  return shown;
}

/** The texts one after another, with their titles, until the budget is full; the last is cut. */
function fullTexts(
  records: readonly LociRecord[],
  budget: number,
  count: CountTokens,
  documentId: DocumentId,
): Map<string, Span[]> {
  const shown = new Map<string, Span[]>();
  let left = budget;
  for (const record of records) {
    const title = record.title === '' ? '' : `${record.title}\n`;
    left -= count(`${title}\n\n`);
    if (left <= 0) break;
    const end = longestPrefix(record.content, left, count);
    shown.set(documentId(record), [{ start: 0, end }]);
    if (end < record.content.length) break;
    left -= count(record.content);
  }
  return shown;
}

/** The weight of each index term of the query, by how rare it is. */
function termWeights({ retrieved: { terms } }: SearchOutcome): TermWeights {
  return new Map(
    terms.flatMap(({ terms: parts, passages }) => parts.map((term) => [term, idfWeight(passages)] as const)),
  );
}

/** Decides which documents a text holds. */
class Judge {
  readonly #records: ReadonlyMap<string, LociRecord>;
  readonly #targets: ReadonlyMap<string, { readonly passage: Span; readonly best: Span }>;
  readonly #count: CountTokens;

  constructor(
    { byDocument, documentId }: CollectionRecords,
    candidates: readonly Candidate[],
    weights: TermWeights,
    count: CountTokens,
  ) {
    this.#records = byDocument;
    this.#count = count;
    this.#targets = new Map(
      candidates.map(({ record, passage }) => {
        const span = trimSpan(record.content, passageSpan(record.content, passage));
        const best = bestSentence(record.content, span, weights);
        return [documentId(record), { passage: span, best }];
      }),
    );
  }

  recall({ gold }: EvalQuery, shown: ReadonlyMap<string, readonly Span[]>): number {
    const held = gold.filter((id) => (shown.get(id) ?? []).some((span) => this.#holds(id, span)));
    return held.length / gold.length;
  }

  #holds(id: string, shown: Span): boolean {
    const { content } = this.#records.get(id)!;
    const whole = trimSpan(content, { start: 0, end: content.length });
    const { passage, best } = this.#targets.get(id) ?? { passage: whole, best: whole };
    if (shown.start <= passage.start && shown.end >= passage.end) return true;
    if (shown.start > best.start || shown.end < best.end) return false;
    return this.#count(shownText(content.slice(shown.start, shown.end))) >= MIN_EXCERPT_TOKENS;
  }
}
