import { z } from 'zod';
import { ProviderError } from '../http/provider-error.ts';
import type { Judgement } from './reranker.ts';

const judgement = z.object({ index: z.number().int().nonnegative(), relevance_score: z.number() });

/**
 * The list of `index` and `relevance_score` that most rerankers answer with.
 * @param field the field of the answer that has the list
 * @throws ProviderError
 */
export function judgementsOf(answer: unknown, field: 'data' | 'results', name: string): Judgement[] {
  const parsed = z.object({ [field]: z.array(judgement) }).safeParse(answer);
  if (!parsed.success) throw new ProviderError('refused', `the answer of ${name} has no \`${field}\``);
  return parsed.data[field]!.map(({ index, relevance_score: score }) => ({ index, score }));
}
