import {
  storeFactInput,
  storeFactOutput,
  factOutput,
  recallFactInput,
  listFactsInput,
  listFactsOutput,
  forgetFactsInput,
  forgetFactsOutput,
  factCategoriesOutput,
} from '../../engine/facts/fact-fields.ts';
import { storeFact, recallFact, listFacts, factCategories, forgetFacts } from '../../engine/facts/facts.ts';
import { z } from 'zod';
import { corpus } from '../../engine/facts/corpus.ts';
import { operation, withNames } from '../operation.ts';

const DEFAULT_LIMIT = 50;

const corpusInput = z.strictObject({
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

const corpusOutput = z.strictObject({
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
export type CorpusOutput = z.infer<typeof corpusOutput>;

export const factOperations = withNames({
  'fact-store': operation({
    description:
      'Stores a value under a key, such as a preference of the user, until it expires: 90 days unless given. It replaces ' +
      'the value that the key had in this category. `write` is for lasting knowledge.',
    input: storeFactInput,
    output: storeFactOutput,
    kind: 'write',
    scope: 'write',
    tool: 'memory_store',
    examples: [
      {
        title: 'What the user prefers',
        input: { key: 'preferred_framework', value: 'React, with TypeScript' },
      },
      {
        title: 'For a week, in another category',
        input: {
          key: 'deploy',
          value: 'Deploy via Konflux only.',
          category: 'project_conventions',
          expires: '7d',
        },
      },
    ],
    run: async (context, given) => storeFact(await context.loci({ create: true }), given),
  }),
  'fact-recall': operation({
    description: 'Reads the fact with a key. To find facts by their values, search.',
    input: recallFactInput,
    output: factOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    tool: 'memory_recall',
    examples: [{ title: 'What the user prefers', input: { key: 'preferred_framework' } }],
    run: async (context, given) => recallFact(await context.loci(), given),
  }),
  'fact-list': operation({
    description:
      'Lists stored facts, newest or soonest to expire first: all of them, or those of a category, prefix or tag.',
    input: listFactsInput,
    output: listFactsOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    tool: 'memory_list',
    examples: [
      { title: 'All facts', input: {} },
      { title: 'The facts of one category', input: { category: 'project_conventions' } },
    ],
    run: async (context, given) => listFacts(await context.loci(), given),
  }),
  'fact-forget': operation({
    description:
      'Deletes facts by key, by the beginning of their keys or by category; all of the given conditions must hold. Until ' +
      'a fact expires, `memory_undelete` with its id restores it.',
    input: forgetFactsInput,
    output: forgetFactsOutput,
    kind: 'write',
    scope: 'write',
    listedOnRequest: true,
    tool: 'memory_forget',
    examples: [
      { title: 'One fact', input: { key: 'preferred_framework' } },
      { title: 'A whole category', input: { category: 'project_conventions' } },
    ],
    run: async (context, given) => forgetFacts(await context.loci(), given),
  }),
  'fact-categories': operation({
    description: 'Lists the categories of facts, with the number of facts in each and the keys stored last.',
    output: factCategoriesOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    tool: 'memory_categories',
    examples: [{ title: 'All categories', input: {} }],
    run: async (context) => factCategories(await context.loci()),
  }),
  corpus: operation({
    description:
      'Returns stored facts, and after them the runs of tools, as documents that another memory can index: those that match ' +
      'a query, or the newest. To read them adds no run.',
    input: corpusInput,
    output: corpusOutput,
    kind: 'read',
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
  }),
});

function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
