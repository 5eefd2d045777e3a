import type { LociRecord, Passage } from '../src/core/types.ts';
import type { Candidate } from '../src/pack/candidate.ts';
import { passageSpan } from '../src/pack/candidate.ts';
import { bestSentence, MIN_EXCERPT_TOKENS } from '../src/pack/levels/excerpt.ts';
import {
  buildPack,
  candidatesFor,
  isBelowThreshold,
  PACK_SETTINGS,
  termWeights,
  type PackSettings,
} from '../src/pack/pack.ts';
import { shownText, trimSpan, type Span } from '../src/pack/text/span.ts';
import { loadTokenCounter, type CountTokens } from '../src/pack/tokens.ts';
import { openGrep } from './baselines/grep.ts';
import { engineSearch, type EngineOptions } from './engine-system.ts';
import { namespaceOf, storedRecords, type IndexedSet } from './index-cache.ts';
import { mean } from './metrics.ts';
import type { Model } from './model.ts';
import { Progress } from './progress.ts';
import { documentIds } from './records.ts';
import type { EvalQuery, EvalSet } from './sets.ts';

export const BUDGETS: readonly number[] = [500, 1000, 2000, 4000];

/** What fills the budget: a pack, the full texts of the same search, or the files that an agent with grep would read. */
export const PACK_SYSTEMS = ['pack', 'full texts', 'files'] as const;
type PackSystem = (typeof PACK_SYSTEMS)[number];

/** The mean share of the relevant documents of a query that a system's text of a budget holds, 0 to 1. */
export type RecallAtBudget = Readonly<Record<PackSystem, Readonly<Record<string, number>>>>;

const CANDIDATES = candidatesFor(Math.max(...BUDGETS));

export interface PackOptions extends Omit<EngineOptions, 'name'> {
  /** Maximum number of queries of each collection. */
  readonly limit?: number;
  readonly settings?: PackSettings;
  readonly systems?: readonly PackSystem[];
}

/**
 * Recall at budget. A document counts where the text holds the passage of it that the search matched best, or at least 60 tokens of that
 * passage with the sentence that has most of the query (`bestSentence`). For a document that the search did not find, the passage is all
 * of its text.
 */
export async function recallAtBudget(
  set: EvalSet,
  indexed: IndexedSet,
  { embedder }: Model,
  options: PackOptions,
): Promise<RecallAtBudget> {
  const { limit = Infinity, systems = PACK_SYSTEMS, settings = PACK_SETTINGS, minScore } = options;
  const search = engineSearch(set, indexed, embedder, options);
  const count = await loadTokenCounter();
  const grep = openGrep(set);
  const values = systems.map(() => BUDGETS.map(() => [] as number[]));
  const progress = new Progress(`${set.name}, packs`, 'queries');
  let done = 0;
  for (const collection of set.collections) {
    const documentId = documentIds(collection);
    const stored = await storedRecords(indexed.store, namespaceOf(set, collection.id));
    const byId = new Map([...stored.values()].map((record) => [record.id, record]));
    const byDocument = new Map([...stored.values()].map((record) => [documentId(record), record]));
    for (const query of collection.queries.filter(({ gold }) => gold.length > 0).slice(0, limit)) {
      const src = query.src === undefined ? {} : { src: query.src };
      const { hits, run } = await search(collection.id, query.q, { limit: CANDIDATES, ...src });
      const others = hits.filter(({ passage }) => documentId(passage.record) !== query.src);
      const best = others[0]?.confidence ?? 0;
      const found = others.filter(({ confidence }) => !isBelowThreshold(confidence, best, minScore));
      const candidates = found.map(({ passage, confidence }) =>
        candidateOf(byId.get(passage.record.id)!, passage, confidence),
      );
      const terms = [...run.queryTerms];
      const judge = new Judge(byDocument, candidates, terms, documentId, count);
      for (const [s, system] of systems.entries()) {
        const read = system === 'files' ? (await grep.rank(collection.id, query.q)).ids : [];
        for (const [b, budget] of BUDGETS.entries()) {
          let shown: ReadonlyMap<string, readonly Span[]>;
          if (system === 'pack') {
            const best = candidates.slice(0, candidatesFor(budget));
            const pack = await buildPack({ terms, budget, candidates: best, count, settings });
            shown = shownSpans(pack.receipt, candidates, documentId);
          } else {
            const records =
              system === 'files'
                ? read.filter((id) => id !== query.src).flatMap((id) => byDocument.get(id) ?? [])
                : candidates.map(({ record }) => byId.get(record.id)!);
            shown = fullTexts(records, budget, count, documentId);
          }
          values[s]![b]!.push(judge.recall(query, shown));
        }
      }
      progress.report(++done, collection.queries.length * set.collections.length);
    }
  }
  progress.end();
  return Object.fromEntries(
    systems.map((system, s) => [
      system,
      Object.fromEntries(BUDGETS.map((budget, b) => [String(budget), mean(values[s]![b]!)])),
    ]),
  ) as RecallAtBudget;
}

function candidateOf(record: LociRecord, passage: Passage, score: number): Candidate {
  const citation = record.origin === 'vault' ? record.key! : `record/${String(record.id)}`;
  return { record, passage, score, lane: 'search', path: null, citation, excluded: null, secrets: [] };
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
    const id = documentId(record as LociRecord);
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

function longestPrefix(text: string, tokens: number, count: CountTokens): number {
  // No token has more than 128 characters, and most have about four.
  let high = Math.min(text.length, tokens * 128);
  if (high === text.length && text.length < tokens * 8 && count(text) <= tokens) return high;
  let low = 0;
  high = Math.min(high, tokens * 12);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Decides which documents a text holds. */
class Judge {
  readonly #records: ReadonlyMap<string, LociRecord>;
  readonly #targets: ReadonlyMap<string, { readonly passage: Span; readonly best: Span }>;
  readonly #count: CountTokens;

  constructor(
    records: ReadonlyMap<string, LociRecord>,
    candidates: readonly Candidate[],
    terms: readonly string[],
    documentId: DocumentId,
    count: CountTokens,
  ) {
    this.#records = records;
    this.#count = count;
    const weights = termWeights({ terms, candidates });
    this.#targets = new Map(
      candidates.map(({ record, passage }) => {
        const span = trimSpan(record.content, passageSpan(record.content, passage));
        const best = bestSentence(record.content, span, weights);
        return [documentId(record as LociRecord), { passage: span, best }];
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
