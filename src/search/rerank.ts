import { LociError } from '../core/errors.ts';
import type { Reranker } from '../embed/rerank/reranker.ts';
import type { Ranked } from './rank/rank.ts';

/** Results that are sent to the reranker. */
export const RERANKED = 50;

export interface Reranked<Result> {
  readonly ranked: readonly Result[];
  /** Why the order is as it was; `null` if it was changed. */
  readonly notice: string | null;
}

/** The last stage: puts the best results into the order of the reranker. If it cannot answer in time, the order stays. */
export async function rerankBest<Result extends Ranked>(
  reranker: Pick<Reranker, 'provider' | 'rerank'>,
  query: string,
  ranked: readonly Result[],
  signal: AbortSignal | undefined,
): Promise<Reranked<Result>> {
  const best = ranked.slice(0, RERANKED);
  if (best.length < 2) return { ranked, notice: null };
  try {
    const scores = await reranker.rerank(query, best.map(rerankedText), signal);
    const order = best.map((each, i) => ({ each, score: scores[i]! })).sort((a, b) => b.score - a.score);
    return { ranked: [...order.map(({ each }) => each), ...ranked.slice(RERANKED)], notice: null };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
    return { ranked, notice: `ranked without the reranker ${reranker.provider}: ${error.message}` };
  }
}

/** The passage, below the title and headings that say what it is about. */
function rerankedText({ passage: { record, headings, text } }: Ranked): string {
  const above = [...new Set([record.title, ...headings])].filter((each) => each !== '').join(' > ');
  return above === '' ? text : `${above}\n\n${text}`;
}
