import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { goldenRun, replayLimit } from '../../engine/golden/golden-fields.ts';
import { replayGolden } from '../../engine/golden/replay.ts';

const input = z.strictObject({ limit: replayLimit() });

export const goldenReplayOperation: Operation<typeof input, typeof goldenRun> = {
  name: 'golden-replay',
  title: 'Replay the golden queries',
  description:
    'Runs the golden queries and compares what they find with what was recorded: what is missing, what moved, what is ' +
    'new, recall and MRR. On the command line, the exit code is 1 when something expected is missing ' +
    'or a query fails. Keep the output ' +
    'of `--json` for `golden diff`.',
  input,
  output: goldenRun,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [
    { title: 'Compare with what was recorded', input: {} },
    { title: 'Look at the first twenty results', input: { limit: 20 } },
  ],
  run: async (context, given) => {
    const loci = await context.loci();
    const { signal, onProgress } = context;
    return replayGolden(loci, { ...given, signal, onProgress });
  },
};
