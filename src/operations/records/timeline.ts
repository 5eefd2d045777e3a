import { timeline, timelineInput, timelineOutput } from '../../engine/packs/timeline.ts';
import type { Operation } from '../operation.ts';

export const timelineOperation: Operation<typeof timelineInput, typeof timelineOutput> = {
  name: 'timeline',
  title: 'Read a timeline',
  description:
    'What came before and after a record or a moment, a line each with a citation that `get` reads. The order is by the day of a ' +
    'note, the start of an event, or else the last update.',
  input: timelineInput,
  output: timelineOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_timeline',
  examples: [
    { title: 'Around now', input: {} },
    { title: 'Around a note', input: { anchor: 'Home/Kitchen remodel.md', before: 5, after: 5 } },
    { title: 'From a day on, in a project', input: { time: '2026-09-14', before: 0, project: 'home' } },
  ],
  run: async (context, given) => timeline(await context.loci(), given),
};
