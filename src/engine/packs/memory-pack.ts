import { graphCondition } from '../graph/graph-status.ts';
import { updateRelations } from '../graph/update-relations.ts';
import { LociError } from '../../core/errors.ts';
import { sha256, uuidv7 } from '../../core/ids.ts';
import type { Origin, Trust } from '../../core/types.ts';
import type { Candidate } from '../../pack/candidate.ts';
import { buildPack, candidatesFor, EMPTY_BELOW } from '../../pack/pack.ts';
import { RECEIPT_VERSION, type Level, type Receipt, type ReceiptLane } from '../../pack/receipt.ts';
import type { FenceTag } from '../../pack/render.ts';
import {
  CHARACTERS_PER_TOKEN,
  ESTIMATE,
  estimateTokens,
  loadTokenCounter,
  TOKENIZER,
  type CountTokens,
} from '../../pack/tokens.ts';
import { MIN_SURE_CONFIDENCE } from '../../search/rank/confidence.ts';
import type { SearchOutcome } from '../../search/search.ts';
import type { MissingSignal } from '../../search/retrieve/signals.ts';
import type { EngineContext } from '../context.ts';
import { ReceiptLog } from './receipt-log.ts';
import { searchOutcome, type SearchRequest } from '../records/search.ts';
import { bestConfidence, candidatesOf, findCredentials, foundHits } from './candidates.ts';
import { EmbedLane } from './embed-lane.ts';
import { graphLane } from './graph-lane.ts';
import { runLanes, type Lane } from './lanes.ts';
import { sectionQuery, withPassages } from './section-query.ts';

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
  /** The items of the text, in its order. */
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

/** The purpose of a pack: an agent asked for it, or a host puts it before a message. */
interface PackPurpose {
  readonly kind: Receipt['kind'];
  readonly fence: FenceTag;
  readonly count: CountTokens;
  /** How the receipt names the way to count. */
  readonly tokenizer: string;
  /** Results of the search that are considered. */
  readonly limit: number;
  /** Begins each citation; empty unless the pack is read in another namespace. */
  readonly citationPrefix: string;
}

/**
 * Packs a text within a budget for an agent that begins to work on something: the results of a search, then what lanes add, as
 * far as they fit. Sources that the settings keep out of a model's context stay out for every caller.
 * @throws LociError `invalid_input` for an empty query, and the errors of the store and the model
 */
export async function memoryPack(context: EngineContext, request: PackRequest): Promise<PackResponse> {
  const made = await makePack(context, request, {
    ...{ kind: 'pack', fence: 'loci-pack', count: await loadTokenCounter(), tokenizer: TOKENIZER },
    ...{ limit: candidatesFor(request.budget), citationPrefix: '' },
  });
  return { ...made, receiptId: await context.shared(ReceiptLog).write(context.namespace, made.receipt) };
}

export interface RecallRequest extends Pick<PackRequest, 'query' | 'minScore' | 'signal'> {
  /** The longest text, in UTF-16 code units. */
  readonly maxChars: number;
  /** Results of the search that are considered. */
  readonly limit: number;
  readonly citationPrefix: string;
}

/**
 * A pack that is put before a message. It has the fence `loci-recall`; tokens are estimated, because to load their vocabulary takes 0.2 s
 * of the host. The caller stores the receipt of what it uses.
 */
export function recallPack(
  context: EngineContext,
  { maxChars, limit, citationPrefix, ...request }: RecallRequest,
): Promise<Omit<PackResponse, 'receiptId'>> {
  const budget = Math.max(1, Math.floor(maxChars / CHARACTERS_PER_TOKEN));
  return makePack(
    context,
    { ...request, budget },
    {
      ...{ kind: 'recall', fence: 'loci-recall', count: estimateTokens, tokenizer: ESTIMATE },
      ...{ limit, citationPrefix },
    },
  );
}

async function makePack(
  context: EngineContext,
  request: PackRequest,
  { kind, limit, citationPrefix, ...form }: PackPurpose,
): Promise<Omit<PackResponse, 'receiptId'>> {
  const started = performance.now();
  const { budget, query } = request;
  if (request.useGraph === true) await catchUpGraph(context, request.signal);
  const outcome = await baseRetrieval(context, request, limit);
  const minScore = request.minScore ?? Math.max(EMPTY_BELOW, context.config.search.minScore);
  const found = foundHits(outcome, minScore);
  const searched = Math.round(performance.now() - started);
  const base = await candidatesOf(context, found);
  const embedLane = new EmbedLane(context, outcome.run.filter, citationPrefix);
  const { lanes, candidates: all } = await runLanes(base, [embedLane, ...lanesOf(context, request, outcome)]);
  const compared = await withPassages(context.store, context.namespace, outcome, all);
  const candidates = compared.map((each) => ({ ...each, citation: `${citationPrefix}${each.citation}` }));
  const pack = await buildPack({
    query: sectionQuery(outcome),
    ...{ budget, candidates, ...form, embeds: embedLane.embeds },
    findCredentials: (record, spans) => findCredentials(context, record, spans),
    isUnsure: bestConfidence(outcome.hits) < MIN_SURE_CONFIDENCE,
  });
  const receipt: Receipt = {
    version: RECEIPT_VERSION,
    id: uuidv7(context.now()),
    kind,
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
    milliseconds: performance.now() - started,
  };
}

/** How long the graph may derive the last changes. After that, a pack goes on without the rest. Milliseconds. */
const CATCH_UP_MS = 5000;

/** No server may be running that does it. Each batch stays, so that the next pack continues from there. */
async function catchUpGraph(context: EngineContext, signal: AbortSignal | undefined): Promise<void> {
  const limit = AbortSignal.timeout(CATCH_UP_MS);
  const options = { signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) };
  try {
    const condition = await graphCondition(context);
    if (condition === 'building' || condition === 'behind') await updateRelations(context, options);
  } catch {
    // The lane of the graph says what is wrong with it.
  }
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
  limit: number,
): Promise<SearchOutcome> {
  if (!Number.isSafeInteger(budget) || budget < 1)
    throw new LociError('invalid_input', 'the budget of a pack is a whole number of tokens, 1 or more');
  // The threshold is applied below, since the others count less than the best.
  return searchOutcome(context, {
    ...request,
    limit,
    related: RELATED,
    minScore: 0,
    audience: 'context',
  });
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
  // The citation is that of the first span, as in the text.
  const levels = new Map<number, { readonly level: Level; readonly from: number; readonly to: number }>();
  for (const { candidate, field, level, lines } of pieces) {
    if (field !== 'content') continue;
    const before = levels.get(candidate);
    // A heading above the first span is in other lines, and so is the head of its table.
    if (before === undefined || (before.level === 'L0' && level !== 'L0'))
      levels.set(candidate, { level, from: lines.from, to: lines.to });
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
