import { z } from 'zod';
import type { RefusalReport } from '../../engine/embedding/refusal-report.ts';

const refusal = z.strictObject({
  namespace: z.string(),
  citation: z.string(),
  why: z.string().describe('Why, such as the status of HTTP. `embed test` shows what the provider says.'),
});

/** The fields of an output that say which texts the embedding provider refused. */
export const refusalFields = {
  refused: z
    .number()
    .int()
    .nonnegative()
    .describe('Texts that the embedding provider refuses, although it embeds others. Words find them.'),
  refusals: z.array(refusal).describe('The first of these texts.'),
};

export interface RefusalOutput {
  refused: number;
  refusals: z.infer<typeof refusal>[];
}

export function refusalOutput({ refused, refusals }: RefusalReport): RefusalOutput {
  return { refused, refusals: [...refusals] };
}
