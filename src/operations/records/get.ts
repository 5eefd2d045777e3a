import { get, getInput, getOutput } from '../../engine/records/get.ts';
import type { Operation } from '../operation.ts';

export const getOperation: Operation<typeof getInput, typeof getOutput> = {
  name: 'get',
  title: 'Read a record',
  description:
    'Reads the whole record of a citation, the lines in it (`path#L3-L9`), or the text below a heading (`path#Heading`). Only indexed records can be read, as they ' +
    'were when they were indexed.',
  input: getInput,
  output: getOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_get',
  examples: [
    { title: 'A whole note', input: { citation: 'Home/Kitchen remodel.md' } },
    { title: 'The lines of a search result', input: { citation: 'Home/Kitchen remodel.md#L24-L40' } },
    { title: 'A note by its name', input: { citation: 'kitchen remodel' } },
    { title: 'The text below a heading', input: { citation: 'Home/Kitchen remodel.md#Oven' } },
    { title: 'A record that `loci write` stored', input: { citation: 'record/1' } },
  ],
  run: async (context, given) => get(await context.loci(), given),
};
