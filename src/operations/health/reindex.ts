import { z } from 'zod';
import { millisecondsSince, tookMs } from '../shared/durations.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { asProblem, problemList, type Problem } from '../shared/problems.ts';

export interface ReindexInput {
  readonly vectors?: boolean;
}

export interface ReindexOutput {
  readonly records: number;
  readonly problems: Problem[];
  readonly embedded: number;
  readonly took_ms: number;
}

export const reindex: Operation<ReindexInput, ReindexOutput> = {
  name: 'reindex',
  title: 'Rebuild the index',
  description:
    'Rebuilds passages, full text and vocabulary from the records, which stay untouched. With `vectors`, embeds ' +
    'everything anew as well: needed after a change of the embedding model. Searches go on meanwhile; stopped ' +
    'anywhere, the same call goes on.',
  input: z.strictObject({
    vectors: z.boolean().exactOptional().describe('Embed everything anew too.'),
  }),
  output: z.strictObject({
    records: z.number().int().nonnegative().describe('Records whose passages were made anew.'),
    problems: problemList().describe('Records whose text is too much: their passages stay as they were.'),
    embedded: z.number().int().nonnegative().describe('Texts that were embedded.'),
    took_ms: tookMs(),
  }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  steps: true,
  examples: [
    { title: 'After `loci doctor` named a difference', input: {} },
    { title: 'After a change of the embedding model', input: { vectors: true } },
  ],
  run: runReindex,
};

async function runReindex(
  context: OperationContext,
  { vectors = false }: ReindexInput,
): Promise<ReindexOutput> {
  const started = performance.now();
  const loci = await context.loci();
  const { records, problems, embedded } = await loci.reindex({
    vectors,
    signal: context.signal,
    onProgress: context.onProgress,
  });
  return { records, problems: problems.map(asProblem), embedded, took_ms: millisecondsSince(started) };
}
