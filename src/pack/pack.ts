import { sha256 } from '../core/ids.ts';
import type { Candidate } from './candidate.ts';
import { Draft, type ChoiceSettings, type PackRequest } from './draft.ts';
import type { Exclusion, Receipt, ReceiptCandidate, ReceiptPiece } from './receipt.ts';
import { frameTokens, render, usualTrust, type Frame, type Item, type PlacedPiece } from './render.ts';
import { judgeSections } from './sections/judge.ts';
import { sourceRange } from './text/span.ts';

/** A section with a lower share of the best score is left out: an unspent budget is not a fault. */
export const FLOOR = 0.5;
/** The floor of a budget that is larger than usual, and so asked for on purpose. */
const LARGE_BUDGET = { above: 2000, floor: 0.3 };
/** From this budget, in tokens, the record of a section counts for its order; below, there is room for the best sections alone. */
const RECORD_SHARE_BUDGET = 600;

function settingsOf(budget: number): ChoiceSettings {
  return {
    floor: budget > LARGE_BUDGET.above ? LARGE_BUDGET.floor : FLOOR,
    wholeTokens: 0.8 * budget,
    recordShare: budget < RECORD_SHARE_BUDGET ? 0 : 1,
  };
}

/** How many candidates can be of use for a budget: an item has 20 tokens at least, and what ranks after 100 others is chance. */
export function candidatesFor(budget: number): number {
  return Math.min(100, Math.max(25, Math.ceil(budget / 20)));
}

/** A pack whose best candidate has a lower confidence is empty. */
export const EMPTY_BELOW = 0.1;

/**
 * What a pack may spend that probably has no answer: half of the budget, but enough for the best section.
 * @param budget tokens
 */
function unsureBudget(budget: number): number {
  return Math.min(budget, Math.max(500, Math.floor(budget / 2)));
}

/** How often the budget is given out. */
const MAX_PASSES = 3;

export interface Pack {
  /** Empty if there is nothing to show, or if the budget is too small for it. */
  readonly text: string;
  readonly tokens: number;
  /** Why the text is empty, in words; `null` unless it is. */
  readonly empty: string | null;
  /** The parts of a receipt that the pack knows. */
  readonly receipt: Pick<Receipt, 'budget' | 'candidates' | 'pieces' | 'hash' | 'bytes'>;
}

/**
 * Makes a pack: one text within a budget of tokens, of the sections of all candidates that match the query best. The same candidates,
 * query and budget give the same bytes. Gives other work a turn between candidates, since judging takes time.
 */
export async function buildPack(request: PackRequest): Promise<Pack> {
  const { budget, query, candidates, count } = request;
  const judged = await judgeSections(query, candidates);
  const usual = usualTrust(candidates);
  const frame = { tag: request.fence, usual, isUnsure: request.isUnsure };
  const allowed = request.isUnsure ? unsureBudget(budget) : budget;
  const room = allowed - frameTokens(frame, count);
  const draft = new Draft(request, judged, settingsOf(budget), usual);
  const tokensOf = (items: readonly Item[]): number => count(render(items, frame).text);
  let items: readonly Item[] = [];
  // Sections that follow each other, and items of one day, take fewer tokens than they cost alone: what is left is given out again.
  for (let pass = 0, spare = 0; pass < MAX_PASSES; pass++) {
    let choice = await draft.choose(room + spare);
    let more = draft.items(choice);
    while (more.length > 0 && tokensOf(more) > allowed) {
      choice = choice.slice(0, -1);
      more = draft.items(choice);
    }
    const left = allowed - tokensOf(more);
    if (pass > 0 && left >= allowed - tokensOf(items)) break;
    items = more;
    spare += left;
  }
  let { best } = draft;
  while (items.length === 0 && best !== undefined) {
    items = await draft.excerpt(best, room);
    // A record that turned out to show nothing but credentials is followed by the next one.
    if (draft.best === best) break;
    ({ best } = draft);
  }
  if (items.length > 0 && tokensOf(items) > allowed) items = [];
  const needed = items.length > 0 || best === undefined ? null : allowed - room + draft.least(best);
  return assembled(request, { items, frame, reasons: draft.reasons(), needed });
}

interface Assembly {
  readonly items: readonly Item[];
  readonly frame: Frame;
  readonly reasons: readonly (Exclusion | null)[];
  /** The tokens of the smallest pack with one item; `null` if there is none. */
  readonly needed: number | null;
}

export function assembled(
  {
    budget,
    candidates,
    count,
    tokenizer,
  }: Pick<PackRequest, 'budget' | 'candidates' | 'count' | 'tokenizer'>,
  { items, frame, reasons, needed }: Assembly,
): Pack {
  const { text, pieces } = items.length === 0 ? { text: '', pieces: [] } : render(items, frame);
  const tokens = text === '' ? 0 : count(text);
  const included = new Set(items.map(({ candidate }) => candidate));
  const empty =
    items.length > 0
      ? null
      : needed === null
        ? 'nothing that is remembered is likely to be about the query'
        : `the budget of ${String(budget)} tokens is below what one item needs, ${String(needed)} tokens`;
  return {
    text,
    tokens,
    empty,
    receipt: {
      budget: { tokens: budget, used: tokens, tokenizer },
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
  const { from, to } = range.lines;
  const hasPassage =
    field === 'content' && level === 'L2' && from <= passage.endLine && passage.startLine <= to;
  return {
    candidate,
    record: record.uuid,
    id: record.id,
    field,
    passage: hasPassage ? passage.ordinal : null,
    level,
    ...range,
    content_hash: record.contentHash,
    pack,
  };
}
