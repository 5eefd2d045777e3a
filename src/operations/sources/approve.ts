import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { formatCommand } from '../../engine/reading/approval/approval.ts';
import { unwatched } from '../../engine/reading/approval/unwatched.ts';
import { unknownSourceError } from '../../engine/reading/configured/configured-sources.ts';
import type { SourceReport } from '../../engine/reading/reports.ts';
import { sourcesOf } from '../../engine/reading/sources.ts';
import type { Operation } from '../operation.ts';
import { FINGERPRINT_LENGTH } from './source-output.ts';

const input = z.strictObject({
  ids: z
    .array(z.string().trim().min(1).max(128))
    .max(1000)
    .min(1)
    .describe('The ids of the sources, as `sources list` shows them.'),
  fingerprint: z
    .string()
    .trim()
    .min(8)
    .max(64)
    .exactOptional()
    .describe(
      'Approve a single source only if it has this fingerprint, as `sources list` or `sources show` prints it.',
    ),
});

const approvedSource = z.strictObject({
  id: z.string(),
  command: z.string().describe('The command that may run now.'),
  cwd: z.string().describe('The working folder of the command.'),
  fingerprint: z.string(),
  changes: z.array(z.string()).describe('The changes since the last approval.'),
  shell: z.boolean().describe('Whether the command is a line for a shell.'),
  watched: z
    .array(z.string())
    .describe('Files whose change needs a new approval. Programs that only root can change are left out.'),
  not_watched: z.string().describe('What may change without a new approval, unless `watch` lists it.'),
  not_watched_risk: z.boolean().describe('Whether the command may run files that nothing watches.'),
});

const output = z.strictObject({ approved: z.array(approvedSource) });
export type SourcesApproveOutput = z.infer<typeof output>;

export const sourcesApproveOperation: Operation<typeof input, typeof output> = {
  name: 'sources-approve',
  title: 'Approve sources',
  description:
    'Allows sources to run exactly these commands, in these folders, with the watched files as they are now. When any of ' +
    'that changes, a source stops running and waits until it is approved again. If one of several sources does not exist or ' +
    'cannot run, none is approved.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [
    { title: 'Let the command of a source run', input: { ids: ['tasks'] } },
    { title: 'Let those of several run', input: { ids: ['tasks', 'calendar'] } },
  ],
  run: async (context, { ids, fingerprint }) => {
    const distinctIds = [...new Set(ids)];
    if (fingerprint !== undefined && distinctIds.length > 1)
      throw new LociError('invalid_input', 'a fingerprint belongs to one source, but several were named', {
        hint: 'Approve them one at a time.',
      });
    const sources = sourcesOf(await context.loci({ create: true }));
    if (distinctIds.length > 1) assertRunnable(await sources.list(), distinctIds);
    const approved: SourcesApproveOutput['approved'] = [];
    for (const id of distinctIds) {
      const command = await sources.approve(id, fingerprint);
      const { text, isRisk } = unwatched(command);
      approved.push({
        id,
        command: formatCommand(command.argv),
        cwd: command.cwd,
        fingerprint: command.fingerprint.slice(0, FINGERPRINT_LENGTH),
        changes: [...command.changes],
        shell: command.shell,
        watched: command.files.filter(({ state }) => !state.startsWith('system')).map(({ path }) => path),
        not_watched: text,
        not_watched_risk: isRisk,
      });
    }
    return { approved };
  },
};

/** Checks all sources before the first is approved. @throws LociError `not_found`, `invalid_config` */
function assertRunnable(reports: readonly SourceReport[], ids: readonly string[]): void {
  const commands = reports.filter(({ kind, condition }) => kind !== 'vault' && condition !== 'gone');
  for (const id of ids) {
    const report = commands.find((each) => each.id === id);
    if (report === undefined)
      throw unknownSourceError(
        id,
        commands.map((each) => each.id),
      );
    if ((report.command?.program ?? null) === null)
      throw new LociError(
        'invalid_config',
        `${id}: ${report.error ?? 'there is no such program'}; nothing was approved`,
        { ...(report.hint !== null && { hint: report.hint }) },
      );
  }
}
