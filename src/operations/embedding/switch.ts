import { switchGeneration, switchInput, switchOutput } from '../../engine/embedding/switch.ts';
import type { Operation } from '../operation.ts';

export const embedSwitchOperation: Operation<typeof switchInput, typeof switchOutput> = {
  name: 'embed-switch',
  title: 'Switch to the vectors of the configured model',
  description:
    'Makes searches use the vectors of the configured model, which `embed_backfill` has made. The previous vectors stay: with ' +
    'the previous settings, the same command switches back. Servers that run go on with their model until they are restarted.',
  input: switchInput,
  output: switchOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  examples: [
    { title: 'What it would do', input: { dry_run: true } },
    { title: 'After `loci embed backfill`', input: {} },
  ],
  run: async (context, given) => switchGeneration(await context.loci(), given),
};
