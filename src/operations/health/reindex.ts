import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { millisecondsSince, tookMs } from '../../engine/fields/times.ts';
import { asProblem, problemList } from '../../engine/fields/problems.ts';
import { refusalFields } from '../../engine/embedding/refusal-report.ts';
import { reindex } from '../../engine/health/reindex.ts';

const input = z.strictObject({
  vectors: z.boolean().exactOptional().describe('Also embed everything again.'),
});

const output = z.strictObject({
  records: z.number().int().nonnegative().describe('Records whose passages were rebuilt.'),
  problems: problemList().describe('Records whose text is too complex; they keep their passages.'),
  embedded: z.number().int().nonnegative().describe('Texts that were embedded.'),
  ...refusalFields,
  took_ms: tookMs(),
});
export type ReindexOutput = z.infer<typeof output>;

export const reindexOperation: Operation<typeof input, typeof output> = {
  name: 'reindex',
  title: 'Rebuild the index',
  description:
    'Rebuilds passages, full text and vocabulary from the records, which do not change. With `vectors`, also embeds ' +
    'everything again, which is needed after a change of the embedding model. Searches work meanwhile; a reindex that ' +
    'was interrupted continues when it is run again.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  steps: true,
  examples: [
    { title: 'After `loci doctor` reported a difference', input: {} },
    { title: 'After a change of the embedding model', input: { vectors: true } },
  ],
  run: async (context, { vectors = false }) => {
    const started = performance.now();
    const loci = await context.loci();
    const { signal, onProgress } = context;
    const report = await reindex(loci, { vectors, signal, onProgress });
    const { records, problems, embedded } = report;
    return {
      ...{
        records,
        problems: problems.map(asProblem),
        embedded,
        refused: report.refused,
        refusals: report.refusals,
      },
      took_ms: millisecondsSince(started),
    };
  },
};
