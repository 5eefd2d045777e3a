import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { corpus } from '../../engine/facts/corpus.ts';

const DEFAULT_LIMIT = 50;

const input = z.strictObject({
  query: z
    .string()
    .max(2000)
    .exactOptional()
    .describe('Only documents that match; without it, the newest documents.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(500)
    .exactOptional()
    .describe(`The highest number of documents; ${String(DEFAULT_LIMIT)} unless given.`),
});

const output = z.strictObject({
  documents: z.array(
    z.strictObject({
      docid: z.string().describe('First six characters of the SHA-256 of the path.'),
      path: z.string().describe('A citation, which `get` accepts.'),
      collection: z.enum(['facts', 'pack_history', 'pipeline_history']),
      score: z.number().min(0).max(1),
      title: z.string(),
      snippet: z.string(),
      content: z.string(),
      metadata: z.record(z.string(), z.json()),
    }),
  ),
});
export type CorpusOutput = z.infer<typeof output>;

export const corpusOperation: Operation<typeof input, typeof output> = {
  name: 'corpus',
  title: 'Give facts and runs as documents',
  description:
    'Returns stored facts, and after them the runs of tools, as documents that another memory can index: those that match ' +
    'a query, or the newest. To read them adds no run.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  unrecorded: true,
  tool: 'memory_corpus',
  examples: [
    { title: 'The newest documents', input: {} },
    { title: 'Documents about deployment', input: { query: 'how do we deploy' } },
  ],
  run: async (context, { query, limit = DEFAULT_LIMIT }) => {
    const loci = await context.loci();
    const { documents } = await corpus(loci, { limit, ...(query !== undefined && { query }) });
    return {
      documents: documents.map((document) => ({ ...document, score: roundScore(document.score) })),
    };
  },
};

function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
