import { searchInput, searchOutput } from '../../engine/records/results/search-fields.ts';
import { search } from '../../engine/records/search.ts';
import type { Operation } from '../operation.ts';

export const searchOperation: Operation<typeof searchInput, typeof searchOutput> = {
  name: 'search',
  title: 'Search memory',
  description:
    'Finds records by their words, meaning, spelling and recency, in one ranking. Ask as you would ask a person. Each ' +
    'result has a snippet, a citation that `get` reads, its age, its source and the reasons why it was found. No ' +
    'results means that no record is about the query, not that something failed.',
  input: searchInput,
  output: searchOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_search',
  examples: [
    { title: 'Ask in plain words', input: { query: 'what did we decide about the oven' } },
    { title: 'An exact phrase, three results', input: { query: '"gas line"', limit: 3 } },
    {
      title: 'Notes of one autumn with a tag',
      input: { query: 'kitchen', tags: ['home'], from: '2026-09-01', until: '2026-11-30' },
    },
    { title: 'Notes about plugins without drafts', input: { query: 'install path:Plugins -tag:draft' } },
    { title: 'See why each result was found', input: { query: 'kitchen remodel', explain: true } },
  ],
  run: async (context, given) => search(await context.loci(), given, context),
};
