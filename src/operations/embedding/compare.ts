import { z } from 'zod';
import { compareGenerations, type GenerationScore } from '../../engine/golden/compare.ts';
import { replayLimit } from '../../engine/golden/golden-fields.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { tookMs } from '../../engine/fields/times.ts';
import { generation, generationFields } from '../../engine/embedding/generations.ts';

const input = z.strictObject({ limit: replayLimit() });
type EmbedCompareInput = z.infer<typeof input>;

const count = () => z.number().int().nonnegative();
const share = () => z.number().min(0).max(1);

const score = generation.extend({
  recall: share().describe('The mean share of the expected records among the first results.'),
  mrr: share().describe('The mean of one divided by the place of the first expected record.'),
  took_ms: tookMs().describe('The median time of a search, in whole milliseconds.'),
  wins: count().describe('Queries that it answers better: it finds more, or as much and earlier.'),
});

const output = z.strictObject({
  current: score.describe('The model whose vectors searches use.'),
  candidate: score.describe('The configured model.'),
  ties: count().describe('Queries that both answer equally well.'),
  limit: z.number().int().positive().describe('Results of each query that were looked at.'),
  as_found: count().describe(
    'Golden queries that expect just the first results, more than one, of the search that recorded them. They favour the model of that search: ' +
      '`golden_record` with `expect` says what should be found, whatever the model.',
  ),
  remaining: count().describe(
    'Texts that have no vector of the candidate yet: they are found by words alone.',
  ),
  queries: z.array(
    z.strictObject({
      id: z.uuid(),
      query: z.string(),
      current_recall: share(),
      candidate_recall: share(),
      current_reciprocal_rank: share(),
      candidate_reciprocal_rank: share(),
    }),
  ),
});
export type EmbedCompareOutput = z.infer<typeof output>;

export const embedCompareOperation: Operation<typeof input, typeof output> = {
  name: 'embed-compare',
  title: 'Compare two models on the golden queries',
  description:
    'Runs your golden queries with the vectors that searches use and with those of the configured model, which ' +
    '`embed_backfill` has made, before `embed_switch`: recall, MRR, latency, and how many queries each answers better.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  examples: [{ title: 'After `loci embed backfill`', input: {} }],
  run: runCompare,
};

async function runCompare(context: OperationContext, given: EmbedCompareInput): Promise<EmbedCompareOutput> {
  const loci = await context.loci();
  const { signal, onProgress } = context;
  const { current, candidate, asFound, ...rest } = await compareGenerations(loci, {
    ...given,
    signal,
    onProgress,
  });
  const later = candidate.run.queries;
  return {
    ...rest,
    as_found: asFound,
    current: scoreOutput(current),
    candidate: scoreOutput(candidate),
    queries: current.run.queries.map(({ id, query, recall, reciprocalRank }, i) => ({
      ...{ id, query, current_recall: recall, current_reciprocal_rank: reciprocalRank },
      candidate_recall: later[i]!.recall,
      candidate_reciprocal_rank: later[i]!.reciprocalRank,
    })),
  };
}

function scoreOutput({
  generation: found,
  recall,
  mrr,
  latencyMs,
  wins,
}: GenerationScore): EmbedCompareOutput['current'] {
  return {
    ...generationFields(found),
    ...{ recall, mrr, wins, took_ms: Math.round(latencyMs) },
  };
}
