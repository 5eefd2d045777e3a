import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { parseJson } from '../../core/json.ts';
import { localPath } from '../../engine/fields/record-fields.ts';
import { diffGolden } from '../../engine/golden/diff.ts';
import { type GoldenRun, goldenDiffOutput, goldenRun } from '../../engine/golden/golden-fields.ts';
import { replayGolden } from '../../engine/golden/replay.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { requireLocalIo } from '../shared/local-io.ts';

const input = z.strictObject({
  before: localPath().exactOptional().describe('A file with the output of `golden replay --json`.'),
  after: localPath().exactOptional().describe('A later one; the queries are run now unless given.'),
  before_run: goldenRun.exactOptional().describe('The output of `golden-replay`.'),
  after_run: goldenRun.exactOptional().describe('A later one; the queries are run now unless given.'),
});

export const goldenDiffOperation: Operation<typeof input, typeof goldenDiffOutput> = {
  name: 'golden-diff',
  title: 'Compare two runs of the golden queries',
  description:
    'Says what two runs of the golden queries find differently: places, what is gone, what is new, recall and MRR. With ' +
    'one run, it is compared with what the queries find now. On the command line, the exit code is 1 when something ' +
    'expected was found before and is missing now.',
  input,
  output: goldenDiffOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  localFields: ['before', 'after'],
  examples: [
    { title: 'What a change of the settings did', input: { before: '~/before.json' } },
    { title: 'Two runs', input: { before: '~/before.json', after: '~/after.json' } },
  ],
  run: async (context, given) => {
    const before = await givenRun(context, 'before', given.before, given.before_run);
    if (before === null)
      throw new LociError('invalid_input', 'a comparison needs a run of the golden queries', {
        hint: '`loci golden replay --json > before.json` makes one.',
      });
    const after = await givenRun(context, 'after', given.after, given.after_run);
    const loci = await context.loci();
    const { signal, onProgress } = context;
    return diffGolden(
      before,
      after ?? (await replayGolden(loci, { limit: before.limit, signal, onProgress })),
    );
  },
};

/** `null` if none is given. @throws LociError `invalid_input`, `unreadable` */
async function givenRun(
  context: OperationContext,
  field: 'before' | 'after',
  path: string | undefined,
  run: GoldenRun | undefined,
): Promise<GoldenRun | null> {
  if (path !== undefined && run !== undefined)
    throw new LociError('invalid_input', `\`${field}\` and \`${field}_run\` exclude each other`);
  if (path === undefined) return run ?? null;
  requireLocalIo(context, field);
  const file = resolve(expandHome(path));
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new LociError('unreadable', `${file}: ${describeFileError(error)}`);
  }
  const parsed = goldenRun.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`;
  throw new LociError('invalid_input', `${file} is no run of the golden queries${where}`, {
    hint: '`loci golden replay --json > FILE` makes one.',
  });
}
