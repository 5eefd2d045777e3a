import { resolve } from 'node:path';
import { expandHome } from '../../config/paths.ts';
import { goldenInput, goldenOutput, runGolden } from '../../engine/golden/golden.ts';
import type { Operation } from '../operation.ts';

export const goldenOperation: Operation<typeof goldenInput, typeof goldenOutput> = {
  name: 'golden',
  title: 'Golden queries',
  description:
    'Runs the queries of a YAML file and says what they find differently from what the file expects: what is missing, what moved, what ' +
    'is new, recall and MRR. A query that expects nothing yet is recorded: the first results are written into the file. Run it before ' +
    'and after a change of the embedding model, of settings, or of Loci. The exit code is 1 when something expected is missing or a query ' +
    'fails.',
  input: goldenInput,
  output: goldenOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [
    { title: 'Record what the queries find, then compare', input: { file: '~/golden.yaml' } },
    { title: 'Record what they find now', input: { file: '~/golden.yaml', record: true } },
  ],
  run: async (context, { file, ...rest }) =>
    runGolden(await context.loci(), { ...rest, file: resolve(expandHome(file)) }, context),
};
