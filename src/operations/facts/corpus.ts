import { z } from 'zod';
import type { CorpusDocument } from '../../engine/facts/corpus.ts';
import type { Operation, OperationContext } from '../operation.ts';

export interface CorpusInput {
  readonly query?: string;
  readonly limit?: number;
}

export interface CorpusOutput {
  readonly documents: CorpusDocument[];
}

const USUAL = 50;

export const corpus: Operation<CorpusInput, CorpusOutput> = {
  name: 'corpus',
  title: 'Give facts and runs as documents',
  description:
    'Gives the facts that are stored, and what tools and runs did, as documents that another memory can index: those ' +
    'that match a query, or the newest.',
  input: z.strictObject({
    query: z
      .string()
      .max(2000)
      .exactOptional()
      .describe('What to look for; without it, the newest are given.'),
    limit: z
      .number()
      .int()
      .min(1)
      .max(500)
      .exactOptional()
      .describe(`Documents at most; ${String(USUAL)} unless given.`),
  }),
  output: z.strictObject({
    documents: z.array(
      z.strictObject({
        docid: z.string().describe('First six characters of the SHA-256 of the content.'),
        path: z.string(),
        collection: z.enum(['facts', 'pack_history', 'pipeline_history']),
        score: z.number().min(0).max(1),
        title: z.string(),
        snippet: z.string(),
        content: z.string(),
        metadata: z.record(z.string(), z.json()),
      }),
    ),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_corpus',
  examples: [
    { title: 'Everything, the newest first', input: {} },
    { title: 'What speaks of deploying', input: { query: 'how do we deploy' } },
  ],
  run: async (context: OperationContext, { query, limit = USUAL }: CorpusInput): Promise<CorpusOutput> => {
    const loci = await context.loci();
    const { documents } = await loci.corpus({ limit, ...(query !== undefined && { query }) });
    return { documents: documents.map((document) => ({ ...document, score: rounded(document.score) })) };
  },
};

function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
