import { LociError } from '../../core/errors.ts';
import { sha256, uuidv7 } from '../../core/ids.ts';
import type { Origin, Trust } from '../../core/types.ts';
import type { Candidate } from '../../pack/candidate.ts';
import { buildPack, candidatesFor, EMPTY_BELOW, UNSURE_BELOW } from '../../pack/pack.ts';
import { RECEIPT_VERSION, type Level, type Receipt, type ReceiptLane } from '../../pack/receipt.ts';
import { loadTokenCounter } from '../../pack/tokens.ts';
import type { SearchOutcome } from '../../search/search.ts';
import type { Hit } from '../../search/rank/confidence.ts';
import type { MissingSignal } from '../../search/retrieve/signals.ts';
import { replacementsOf } from '../../search/retrieve/text.ts';
import type { SectionQuery } from '../../pack/sections/judge.ts';
import type { Store } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';
import { searchOutcome, type SearchRequest } from '../records/search.ts';
import { candidatesOf, findCredentials, isBelowThreshold, type FoundHit } from './candidates.ts';
import { graphLane } from './graph-lane.ts';
import { expand, type Lane } from './lanes.ts';

export interface PackRequest extends Omit<SearchRequest, 'limit' | 'related' | 'audience'> {
  /** Tokens of o200k that the text may have. */
  readonly budget: number;
  /**
   * Whether the graph adds what is near the best results; `false` unless given. Where it is off or fails, the text is that of a pack
   * without it.
   */
  readonly useGraph?: boolean;
  /** Asks to follow edges into other projects. The settings decide whether it may, and which types. */
  readonly allowCrossProject?: boolean;
}

export interface PackResponse {
  /** A text for the context of a model; empty if the budget is too small or nothing is known. */
  readonly text: string;
  readonly tokens: number;
  /** Why the text is empty, in words; `null` unless it is. */
  readonly empty: string | null;
  /** What is in the text, in its order. */
  readonly items: readonly PackItem[];
  /** Signals of the search that could not answer. */
  readonly missing: readonly MissingSignal[];
  readonly notices: readonly string[];
  readonly receipt: Receipt;
  /** The id of the receipt in the store; `null` if it could not be stored. */
  readonly receiptId: string | null;
  readonly milliseconds: number;
}

export interface PackItem {
  readonly id: number;
  /** Accepted by `get`. */
  readonly citation: string;
  readonly title: string;
  readonly origin: Origin;
  readonly source: string;
  readonly trust: Trust;
  readonly project: string;
  readonly score: number;
  readonly level: Level;
  /** How the graph led to it, in words; `null` for a result of the search. */
  readonly via: string | null;
}

/** Related documents that a pack considers, as many as a search shows. */
const RELATED = 5;

/**
 * A text within a budget for an agent that begins to work on something: retrieval as in a search, what lanes add to it, then as much as
 * fits. Sources that the settings keep out of a model's context stay out, whoever asks.
 * @throws LociError `invalid_input` for an empty query, and the errors of the store and the model
 */
export async function memoryPack(context: EngineContext, request: PackRequest): Promise<PackResponse> {
  const started = performance.now();
  const { budget, query } = request;
  const [count, outcome] = await Promise.all([loadTokenCounter(), baseRetrieval(context, request)]);
  const minScore = request.minScore ?? Math.max(EMPTY_BELOW, context.config.search.minScore);
  const found = foundHits(outcome, minScore);
  const searched = Math.round(performance.now() - started);
  const base = await candidatesOf(context, found);
  const expanded = await expand(base, lanesOf(context, request, outcome));
  const { lanes } = expanded;
  const candidates = await withPassages(context.store, context.namespace, outcome, expanded.candidates);
  const pack = await buildPack({
    query: sectionQuery(outcome),
    ...{ budget, candidates, count },
    findCredentials: (record, spans) => findCredentials(context, record, spans),
    isUnsure: (outcome.hits[0]?.confidence ?? 0) < UNSURE_BELOW,
  });
  const receipt: Receipt = {
    version: RECEIPT_VERSION,
    id: uuidv7(context.now()),
    kind: 'pack',
    at: new Date(context.now()).toISOString(),
    query_hash: sha256(query),
    project: request.project ?? null,
    lanes: [...baseLanes(outcome, searched), ...lanes],
    ...pack.receipt,
  };
  return {
    text: pack.text,
    tokens: pack.tokens,
    empty: pack.empty,
    items: itemsOf(receipt, candidates),
    missing: outcome.retrieved.missing,
    notices: outcome.notices,
    receipt,
    receiptId: await context.receipts.write(context.namespace, receipt),
    milliseconds: performance.now() - started,
  };
}

/** The lanes that extend the search. */
function lanesOf(context: EngineContext, request: PackRequest, outcome: SearchOutcome): readonly Lane[] {
  const { budget: _budget, query: _query, signal: _signal, minScore, ...given } = request;
  const { useGraph = false, allowCrossProject = false, ...filter } = given;
  return [
    graphLane(context, {
      isOn: useGraph,
      terms: new Set(outcome.run.queryTerms),
      filter,
      allowCrossProject,
      minScore: minScore ?? context.config.search.minScore,
    }),
  ];
}

function baseRetrieval(
  context: EngineContext,
  { budget, minScore: _minScore, useGraph: _useGraph, allowCrossProject: _cross, ...request }: PackRequest,
): Promise<SearchOutcome> {
  if (!Number.isSafeInteger(budget) || budget < 1)
    throw new LociError('invalid_input', 'the budget of a pack is a whole number of tokens, 1 or more');
  // The threshold is applied below, since the others count less than the best.
  return searchOutcome(context, {
    ...request,
    limit: candidatesFor(budget),
    related: RELATED,
    minScore: 0,
    audience: 'context',
  });
}

/** The hits of a search and the related documents. @param minScore below which the best hit is not worth a text */
export function foundHits({ hits, related }: SearchOutcome, minScore: number): FoundHit[] {
  const [best] = hits;
  const relevanceOf = ({ score }: Hit): number =>
    best === undefined || best.score <= 0 ? 0 : score / best.score;
  const confidence = best?.confidence ?? 0;
  return [
    ...hits.map((hit): FoundHit => ({
      ...{ hit, path: null, via: null, relevance: relevanceOf(hit) },
      lane: 'search',
      isBelowThreshold: isBelowThreshold(hit.confidence, confidence, minScore),
    })),
    ...related.map((hit): FoundHit => ({
      ...{ hit, path: null, via: null, relevance: relevanceOf(hit) },
      lane: 'related',
      isBelowThreshold: confidence < minScore,
    })),
  ];
}

/**
 * The share of meaning in the match of a section. It is larger than in a search, because all sections are of records that the search has
 * found: their words are those of the query anyway.
 */
const MEANING_SHARE = 0.7;

/** What the sections of the candidates are compared with. */
export function sectionQuery({ retrieved }: Pick<SearchOutcome, 'retrieved'>): SectionQuery {
  const { vector, terms, corrections, modelCoverage } = retrieved;
  const meaningShare = vector === null ? 0 : terms.length === 0 ? 1 : MEANING_SHARE * modelCoverage;
  return { terms, replacements: replacementsOf(corrections), meaningShare };
}

/** Passages of all candidates together that are compared with the query. */
const MAX_COMPARED = 3000;

/** Compares all passages of the candidates with the query, since any section may be shown. */
export async function withPassages(
  store: Store,
  namespace: string,
  { retrieved: { vector } }: SearchOutcome,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  if (vector === null) return candidates;
  const ids = candidates.flatMap(({ record, excluded }) => (excluded === null ? [record.id] : []));
  const compared = await store.search.compareRecords(namespace, vector, ids, MAX_COMPARED);
  return candidates.map((each) => ({ ...each, passages: compared.get(each.record.id) ?? [] }));
}

export function baseLanes({ retrieved, hits, related }: SearchOutcome, took_ms: number): ReceiptLane[] {
  const status = retrieved.missing.length === 0 ? 'answered' : 'partial';
  return [
    { name: 'search', status, took_ms, candidates: hits.length, failure: null },
    { name: 'related', status: 'answered', took_ms: 0, candidates: related.length, failure: null },
  ];
}

/** One for each record in the text, in its order. */
function itemsOf({ pieces }: Pick<Receipt, 'pieces'>, candidates: readonly Candidate[]): PackItem[] {
  const levels = new Map<number, { readonly level: Level; readonly from: number; readonly to: number }>();
  for (const { candidate, field, level, lines } of pieces) {
    const before = levels.get(candidate);
    // The citation is that of the excerpt, not of the summary after it.
    if (field !== 'content' || (before !== undefined && level !== before.level)) continue;
    levels.set(candidate, { level, from: before?.from ?? lines.from, to: lines.to });
  }
  return [...levels].map(([index, { level, from, to }]): PackItem => {
    const { record, citation, score, via } = candidates[index]!;
    const lines = record.origin === 'vault' ? `#L${String(from)}-L${String(to)}` : '';
    return {
      id: record.id,
      citation: `${citation}${lines}`,
      title: record.title,
      origin: record.origin,
      source: record.source,
      trust: record.trust,
      project: record.project,
      score,
      level,
      via,
    };
  });
}
