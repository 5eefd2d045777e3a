import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { generation, generationFields } from './backfill.ts';
import { switchGeneration } from '../../engine/embedding/switch.ts';

const input = z.strictObject({
  partial: z
    .boolean()
    .exactOptional()
    .describe(
      'Switch although some texts have no vector yet. They are found by their words until they have one.',
    ),
  dry_run: z.boolean().exactOptional().describe('Change nothing, and report what a switch would do.'),
});
type EmbedSwitchInput = z.infer<typeof input>;

const output = z.strictObject({
  dry_run: z.boolean(),
  from: generation.nullable().describe('The model whose vectors searches used before.'),
  to: generation.describe('The model whose vectors they use now.'),
  remaining: z.number().int().nonnegative().describe('Texts that have no vector of it yet.'),
});
export type EmbedSwitchOutput = z.infer<typeof output>;

export const embedSwitchOperation: Operation<typeof input, typeof output> = {
  name: 'embed-switch',
  title: 'Switch to the vectors of the configured model',
  description:
    'Makes searches use the vectors of the configured model, which `embed_backfill` has made. The previous vectors stay: with ' +
    'the previous settings, the same command switches back. Servers that run go on with their model until they are restarted.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'operator',
  examples: [
    { title: 'What it would do', input: { dry_run: true } },
    { title: 'After `loci embed backfill`', input: {} },
  ],
  run: runEmbedSwitch,
};

async function runEmbedSwitch(
  context: OperationContext,
  { dry_run: dryRun = false, ...options }: EmbedSwitchInput,
): Promise<EmbedSwitchOutput> {
  const loci = await context.loci();
  const { from, to, remaining } = await switchGeneration(loci, { ...options, dryRun });
  const before = from === null ? null : generationFields(from);
  return { dry_run: dryRun, from: before, to: generationFields(to), remaining };
}
