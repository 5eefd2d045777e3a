import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { parseJson } from '../../core/json.ts';
import { diffGolden, type ChangedQuery } from '../../engine/golden/diff.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { requireLocalIo } from '../shared/local-io.ts';
import { localPath } from '../../engine/fields/record-fields.ts';
import {
  goldenRun,
  goldenRunOf,
  rankedRecord,
  type GoldenRunOutput,
} from '../../engine/golden/golden-fields.ts';
import { replayGolden } from '../../engine/golden/replay.ts';

const input = z.strictObject({
  before: localPath().exactOptional().describe('A file with the output of `golden replay --json`.'),
  after: localPath().exactOptional().describe('A later one; the queries are run now unless given.'),
  before_run: goldenRun.exactOptional().describe('The output of `golden-replay`.'),
  after_run: goldenRun.exactOptional().describe('A later one; the queries are run now unless given.'),
});
type DiffInput = z.infer<typeof input>;

const change = z.strictObject({ before: z.number(), after: z.number() });
const place = z.number().int().positive();

const output = z.strictObject({
  compared: z.number().int().nonnegative().describe('Queries that both runs have.'),
  recall: change,
  mrr: change,
  lost: z.number().int().nonnegative().describe('Expected records that were found before and are not now.'),
  changed: z.array(
    z.strictObject({
      id: z.uuid(),
      query: z.string(),
      recall: change,
      reciprocal_rank: change,
      lost: z.array(rankedRecord).describe('Expected, and not found any more.'),
      gone: z.array(rankedRecord).describe('Not expected, and not found any more.'),
      new: z.array(rankedRecord),
      moved: z.array(
        z.strictObject({ record: z.string(), citation: z.string(), before: place, after: place }),
      ),
    }),
  ),
  only_before: z.array(z.string()).describe('Queries that only the earlier run has.'),
  only_after: z.array(z.string()),
});
export type GoldenDiffOutput = z.infer<typeof output>;

export const goldenDiffOperation: Operation<typeof input, typeof output> = {
  name: 'golden-diff',
  title: 'Compare two runs of the golden queries',
  description:
    'Says what two runs of the golden queries find differently: places, what is gone, what is new, recall and MRR. With ' +
    'one run, it is compared with what the queries find now. On the command line, the exit code is 1 when something ' +
    'expected was found before and is missing now.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  localFields: ['before', 'after'],
  examples: [
    { title: 'What a change of the settings did', input: { before: '~/before.json' } },
    { title: 'Two runs', input: { before: '~/before.json', after: '~/after.json' } },
  ],
  run: runDiff,
};

async function runDiff(context: OperationContext, given: DiffInput): Promise<GoldenDiffOutput> {
  const before = await givenRun(context, 'before', given.before, given.before_run);
  if (before === null)
    throw new LociError('invalid_input', 'a comparison needs a run of the golden queries', {
      hint: '`loci golden replay --json > before.json` makes one.',
    });
  const after = await givenRun(context, 'after', given.after, given.after_run);
  const loci = await context.loci();
  const { signal, onProgress } = context;
  const difference = diffGolden(
    goldenRunOf(before),
    after === null
      ? await replayGolden(loci, { limit: before.limit, signal, onProgress })
      : goldenRunOf(after),
  );
  const { changed, onlyBefore, onlyAfter, ...rest } = difference;
  return {
    ...rest,
    lost: changed.reduce((sum, { lost }) => sum + lost.length, 0),
    changed: changed.map(changedOutput),
    only_before: [...onlyBefore],
    only_after: [...onlyAfter],
  };
}

function changedOutput(query: ChangedQuery): GoldenDiffOutput['changed'][number] {
  const { reciprocalRank, lost, gone, moved, new: added, ...rest } = query;
  return {
    ...rest,
    reciprocal_rank: reciprocalRank,
    lost: [...lost],
    gone: [...gone],
    new: [...added],
    moved: [...moved],
  };
}

/** `null` if none is given. @throws LociError `invalid_input`, `unreadable` */
async function givenRun(
  context: OperationContext,
  field: 'before' | 'after',
  path: string | undefined,
  run: GoldenRunOutput | undefined,
): Promise<GoldenRunOutput | null> {
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
