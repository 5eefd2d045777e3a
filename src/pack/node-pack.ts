import { setImmediate } from 'node:timers/promises';
import type { Trust } from '../core/types.ts';
import { indexItem, nodeForms, type NodeCandidate, type NodeForms } from './node-items.ts';
import { assembled, type Pack } from './pack.ts';
import { frameTokens, itemText, render, usualTrust, type Frame, type Item } from './render.ts';
import { TOKENIZER, type CountTokens } from './tokens.ts';

export interface NodeTextRequest {
  readonly candidates: readonly NodeCandidate[];
  readonly budget: number;
  readonly count: CountTokens;
  /** What the text says if there is nothing to show. */
  readonly nothing: string;
}

/** The share of the text that is kept for suggestions, where there are enough. */
const SUGGESTED_SHARE = 0.35;

/**
 * An index: a line for each candidate, in their order. Those with a path are suggestions and follow the others, which leave a part of
 * the budget to them.
 */
export function buildIndex(request: NodeTextRequest): Pack {
  const { candidates, budget, count } = request;
  const usual = usualTrustOf(candidates);
  const room = budget - frameTokens(frameOf(usual), count);
  const lines = candidates.map((candidate, i) => {
    const item = candidate.excluded === null ? indexItem(candidate, i, usual) : null;
    const tokens = item === null ? 0 : count(itemText(item));
    return { item, tokens, isSuggestion: candidate.path !== null };
  });
  const suggested = lines.reduce((sum, { tokens, isSuggestion }) => sum + (isSuggestion ? tokens : 0), 0);
  let left = room - Math.min(suggested, Math.floor(room * SUGGESTED_SHARE));
  const chosen: Item[] = [];
  const fill = (isSuggestion: boolean): void => {
    for (const line of lines)
      if (line.item !== null && line.isSuggestion === isSuggestion && line.tokens <= left) {
        chosen.push(line.item);
        left -= line.tokens;
      }
  };
  fill(false);
  left = room - chosen.reduce((sum, { candidate }) => sum + lines[candidate]!.tokens, 0);
  fill(true);
  const smallest = Math.min(...lines.flatMap(({ item, tokens }) => (item === null ? [] : [tokens])));
  return finished(request, chosen, usual, budget - room + smallest);
}

/** Tokens of all snippets together at most. */
const MAX_SNIPPETS_TOKENS = 3000;
/** Nodes whose tokens are counted before other work has its turn. */
const NODES_PER_TURN = 4;

/**
 * A pack of nodes: of each in their order a summary, or one line, or its title alone, whichever fits into what is left. With snippets,
 * these have a cap of their own.
 */
export async function buildNodePack(
  request: NodeTextRequest & { readonly withSnippets: boolean },
): Promise<Pack> {
  const { candidates, budget, count, withSnippets } = request;
  const usual = usualTrustOf(candidates);
  const room = budget - frameTokens(frameOf(usual), count);
  const chosen: Item[] = [];
  let left = room;
  let snippets = MAX_SNIPPETS_TOKENS;
  let smallest = Infinity;
  for (const [index, candidate] of candidates.entries()) {
    if (candidate.excluded !== null) continue;
    const { snippet, items } = nodeForms(candidate, index, { usual, count, withSnippet: withSnippets });
    const hasSnippet =
      snippet !== null && snippet.tokens <= snippets && tokensOf(snippet.item, count) <= left;
    const item = hasSnippet ? snippet.item : items.find((each) => tokensOf(each, count) <= left);
    smallest = Math.min(smallest, tokensOf(items.at(-1)!, count));
    if (index % NODES_PER_TURN === NODES_PER_TURN - 1) await setImmediate();
    if (item === undefined) continue;
    chosen.push(item);
    left -= tokensOf(item, count);
    if (hasSnippet) snippets -= snippet.tokens;
  }
  return finished(request, chosen, usual, budget - room + smallest);
}

function tokensOf(item: NodeForms['items'][number], count: CountTokens): number {
  return count(itemText(item));
}

function frameOf(usual: Trust): Frame {
  return { tag: 'loci-pack', usual, isUnsure: false };
}

function usualTrustOf(candidates: readonly NodeCandidate[]): Trust {
  return usualTrust(candidates.filter(({ excluded }) => excluded === null).map(({ record }) => record.trust));
}

/** @param needed the tokens of the smallest text with one item; `Infinity` if there is none */
function finished(request: NodeTextRequest, chosen: readonly Item[], usual: Trust, needed: number): Pack {
  const { candidates, budget, count, nothing } = request;
  const items = [...chosen];
  const frame = frameOf(usual);
  // The tokens of items add up, except for a few contents whose first character joins the line break before it.
  while (items.length > 0 && count(render(items, frame).text) > budget) items.pop();
  const pack = assembled(
    { ...request, tokenizer: TOKENIZER },
    {
      ...{ items, frame },
      reasons: candidates.map(({ excluded }) => excluded),
      needed: Number.isFinite(needed) ? needed : null,
    },
  );
  return { ...pack, empty: items.length === 0 && !Number.isFinite(needed) ? nothing : pack.empty };
}
