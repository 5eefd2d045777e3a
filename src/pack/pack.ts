import { setImmediate } from 'node:timers/promises';
import { sha256 } from '../core/ids.ts';
import type { Trust } from '../core/types.ts';
import { analyzeForTerms } from '../core/text/analyze-for-terms.ts';
import type { Candidate } from './candidate.ts';
import { ItemMaker, type CandidateItems } from './items.ts';
import type { TermWeights } from './levels/excerpt.ts';
import type { Exclusion, Receipt, ReceiptCandidate, ReceiptPiece } from './receipt.ts';
import { fenceTokens, render, usualTrust, type Item, type PlacedPiece } from './render.ts';
import { select, type Selectable, type SelectionWeights } from './select.ts';
import { sourceRange } from './text/span.ts';
import { TOKENIZER, type CountTokens } from './tokens.ts';

export interface PackRequest {
  /** The index terms of the query. */
  readonly terms: readonly string[];
  readonly budget: number;
  /** Best first. */
  readonly candidates: readonly Candidate[];
  readonly count: CountTokens;
  readonly settings?: PackSettings;
}

export interface PackSettings extends SelectionWeights {
  /** Tokens around the best match that an item has at least. */
  readonly excerptTokens: number;
  /** From this score a candidate is taken before all others. */
  readonly certainScore: number;
}

export const PACK_SETTINGS: PackSettings = {
  excerptTokens: 60,
  certainScore: 0.9,
  coverage: 0.5,
  novelty: 0.2,
};

/** How many candidates can be of use for a budget: an item has 20 tokens at least, and what ranks after 100 others is chance. */
export function candidatesFor(budget: number): number {
  return Math.min(100, Math.max(10, Math.ceil(budget / 20)));
}

/**
 * Whether candidates are good enough: the best one needs the minimum score of a search, so that a pack about something unknown is empty.
 * The others are only limited by the budget, down to this share of it, since they can be the second half of an answer.
 */
const OTHERS_SHARE = 0.2;

/** @param best the score of the best candidate */
export function isBelowThreshold(score: number, best: number, minScore: number): boolean {
  return best < minScore || score < minScore * OTHERS_SHARE;
}

export interface Pack {
  /** Empty if the budget is too small for one item. */
  readonly text: string;
  readonly tokens: number;
  /** Why the text is empty, in words; `null` unless it is. */
  readonly empty: string | null;
  /** The parts of a receipt that the pack knows. */
  readonly receipt: Pick<Receipt, 'budget' | 'candidates' | 'pieces' | 'hash' | 'bytes'>;
}

/**
 * Makes a pack: one text within a budget of tokens, of excerpts of the candidates. The same candidates, terms and budget give the same
 * bytes. Gives other work a turn between candidates, since counting takes time.
 */
export async function buildPack(request: PackRequest): Promise<Pack> {
  const { budget, candidates, count, settings = PACK_SETTINGS } = request;
  const usual = usualTrust(
    candidates.filter(({ excluded }) => excluded === null).map(({ record }) => record.trust),
  );
  const room = budget - fenceTokens(usual, count);
  const terms = termWeights(request);
  const maker = new ItemMaker({ terms, count, usual, excerptTokens: settings.excerptTokens });
  const made: (CandidateItems | null)[] = [];
  const reasons: (Exclusion | null)[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const items = candidate.excluded === null ? maker.itemsOf(candidate, index) : null;
    reasons.push(candidate.excluded ?? items?.excluded ?? null);
    made.push(items);
    if (index % CANDIDATES_PER_TURN === CANDIDATES_PER_TURN - 1) await setImmediate();
  }
  const chosen = choose(made, candidates, room, terms, settings);
  const items = fitting(chosen, usual, budget, count);
  const needed = items.length === 0 ? smallest(made, budget - room) : null;
  return assembled(request, items, usual, reasons, needed);
}

/** Candidates whose tokens are counted before other work has its turn: about 3 ms. */
const CANDIDATES_PER_TURN = 4;

/** The items of a pack, in the order in which they are needed. */
function choose(
  made: readonly (CandidateItems | null)[],
  candidates: readonly Candidate[],
  room: number,
  terms: TermWeights,
  settings: PackSettings,
): Item[] {
  const selectables = made.map((items, i): Selectable => {
    const { score } = candidates[i]!;
    return {
      relevance: score,
      isCertain: score >= settings.certainScore,
      shared: items?.day ?? null,
      steps: items?.steps ?? [],
    };
  });
  const { taken, gains, spent } = select(selectables, room, terms, settings);
  const chosen = taken.flatMap((steps, i) => {
    const item = steps === 0 ? undefined : made[i]?.items[steps - 1];
    return item === undefined ? [] : [{ item, gain: gains[i]!, index: i }];
  });
  const needOf = (index: number): number => {
    if (selectables[index]!.isCertain) return 0;
    return isFactOrTask(candidates[index]!) ? 1 : 2;
  };
  const ordered = chosen.toSorted(
    (a, b) => needOf(a.index) - needOf(b.index) || b.gain - a.gain || a.index - b.index,
  );
  const { items, room: rest } = summarised(ordered, made, room - spent);
  return [...items, ...mentioned(made, taken, rest)];
}

/** The records whose rest is summarised, where there is room. */
const MAX_SUMMARIES = 5;
/** A summary of fewer tokens says nothing. */
const MIN_SUMMARY_TOKENS = 40;

/** Adds summaries of the records that are needed most, as far as there is room after all excerpts and passages. */
function summarised(
  chosen: readonly { readonly item: Item; readonly index: number }[],
  made: readonly (CandidateItems | null)[],
  room: number,
): { readonly items: readonly Item[]; readonly room: number } {
  let left = room;
  const items = chosen.map(({ item, index }, i) => {
    if (i >= MAX_SUMMARIES || left < MIN_SUMMARY_TOKENS) return item;
    const extended = made[index]!.withSummary(item);
    if (extended === null || extended.tokens > left) return item;
    left -= extended.tokens;
    return extended.item;
  });
  return { items, room: left };
}

/** A line about each of the best candidates whose excerpt does not fit. */
function mentioned(made: readonly (CandidateItems | null)[], taken: readonly number[], room: number): Item[] {
  let left = room;
  return made.flatMap((items, i) => {
    if (left < MIN_LINE_TOKENS || items === null || taken[i]! > 0) return [];
    const line = items.line();
    if (line === null || line.tokens > left) return [];
    left -= line.tokens;
    return [line.item];
  });
}

/** A line of fewer tokens says nothing. */
const MIN_LINE_TOKENS = 12;

function isFactOrTask({ record: { origin, metadata, recordType } }: Candidate): boolean {
  return (
    origin === 'fact' || metadata['completed'] === false || (origin === 'source' && recordType === 'todo')
  );
}

/** The tokens of items add up, except for a few contents whose first character joins the line break before it. */
export function fitting(items: readonly Item[], usual: Trust, budget: number, count: CountTokens): Item[] {
  const kept = [...items];
  while (kept.length > 0 && count(render(kept, usual).text) > budget) kept.pop();
  return kept;
}

/** The tokens of the smallest pack with one item; `null` if there is none. */
function smallest(made: readonly (CandidateItems | null)[], overhead: number): number | null {
  const costs = made.flatMap((items) => {
    const tokens = [items?.steps[0]?.tokens, items?.line()?.tokens].flatMap((each) => each ?? []);
    return tokens.length === 0 ? [] : [Math.min(...tokens)];
  });
  return costs.length === 0 ? null : overhead + Math.min(...costs);
}

/** @param needed the tokens of the smallest pack with one item; `null` if there is none */
export function assembled(
  { budget, candidates, count }: Pick<PackRequest, 'budget' | 'candidates' | 'count'>,
  items: readonly Item[],
  usual: Trust,
  reasons: readonly (Exclusion | null)[],
  needed: number | null,
): Pack {
  const { text, pieces } = items.length === 0 ? { text: '', pieces: [] } : render(items, usual);
  const tokens = text === '' ? 0 : count(text);
  const included = new Set(items.map(({ candidate }) => candidate));
  const empty =
    items.length > 0
      ? null
      : needed === null
        ? 'nothing that is remembered is about the query'
        : `the budget of ${String(budget)} tokens is below what one item needs, ${String(needed)} tokens`;
  return {
    text,
    tokens,
    empty,
    receipt: {
      budget: { tokens: budget, used: tokens, tokenizer: TOKENIZER },
      candidates: candidates.map(({ record, lane, score, path }, i): ReceiptCandidate => {
        const isIncluded = included.has(i);
        const reason = isIncluded ? null : (reasons[i] ?? 'budget');
        return { record: record.uuid, lane, score, included: isIncluded, reason, path };
      }),
      pieces: pieces.map((piece) => receiptPiece(piece, candidates[piece.candidate]!)),
      hash: sha256(text),
      bytes: Buffer.byteLength(text),
    },
  };
}

function receiptPiece(
  { field, span, level, candidate, pack }: PlacedPiece,
  { record, passage }: Candidate,
): ReceiptPiece {
  const range = sourceRange(field === 'title' ? record.title : record.content, span);
  return {
    candidate,
    record: record.uuid,
    id: record.id,
    field,
    passage: level === 'L2' && field === 'content' ? passage.ordinal : null,
    level,
    ...range,
    content_hash: record.contentHash,
    pack,
  };
}

/**
 * The weight of each term of the query, with a sum of 1: the logarithm of how rare it is among the candidates (Robertson & Spärck Jones
 * 1976, without relevance information).
 */
export function termWeights({ terms, candidates }: Pick<PackRequest, 'terms' | 'candidates'>): TermWeights {
  const names = new Set(terms);
  const counts = new Map<string, number>([...names].map((term) => [term, 0]));
  for (const { record, passage } of candidates)
    for (const term of new Set(
      analyzeForTerms(`${record.title}\n${passage.text}`, names).map((token) => token.term),
    ))
      counts.set(term, (counts.get(term) ?? 0) + 1);
  const weights = [...counts].map(
    ([term, count]) => [term, Math.log(1 + (candidates.length + 0.5) / (count + 0.5))] as const,
  );
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  return new Map(weights.map(([term, weight]) => [term, weight / sum]));
}
