import { memoryPack, packInput, packOutput } from '../../engine/packs/memory-pack.ts';
import type { Operation } from '../operation.ts';

export const packOperation: Operation<typeof packInput, typeof packOutput> = {
  name: 'pack',
  title: 'Pack memory for a task',
  description:
    'Returns what is remembered about something as one text within a budget of tokens, with citations that `get` reads. ' +
    'For the beginning of work; `search` looks for one thing.',
  input: packInput,
  output: packOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_pack',
  examples: [
    { title: 'Before work on something', input: { query: 'kitchen remodel' } },
    {
      title: 'With what is linked to the best results',
      input: { query: 'kitchen remodel', use_graph: true },
    },
    { title: 'A small budget', input: { query: 'kitchen remodel', budget: 500 } },
    {
      title: 'With the receipt, of one project',
      input: { query: 'who installs the oven', project: 'home', trace: true },
    },
  ],
  run: async (context, given) => {
    const loci = await context.loci();
    const pack = await memoryPack(loci, given, { signal: context.signal });
    return { ...pack, receipt: given.trace === true ? pack.receipt : null };
  },
};
