import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { formatCommand } from '../../engine/sources/approval.ts';
import { noSuchSource } from '../../engine/sources/configured.ts';
import type { SourceReport } from '../../engine/sources/reports.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { SHOWN } from './source-output.ts';

export interface SourcesApproveInput {
  readonly ids: readonly string[];
  readonly fingerprint?: string;
}

interface ApprovedSource {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly fingerprint: string;
  readonly changes: string[];
  readonly shell: boolean;
}

export interface SourcesApproveOutput {
  readonly approved: ApprovedSource[];
}

const approvedSource: z.ZodType<ApprovedSource> = z.strictObject({
  id: z.string(),
  command: z.string().describe('What may run now.'),
  cwd: z.string().describe('The folder that it runs in.'),
  fingerprint: z.string(),
  changes: z.array(z.string()).describe('What is different from what was approved before.'),
  shell: z
    .boolean()
    .describe(
      'Whether the command is a line for a shell. Files that the line starts are not watched, except those listed in `watch`.',
    ),
});

export const sourcesApprove: Operation<SourcesApproveInput, SourcesApproveOutput> = {
  name: 'sources-approve',
  title: 'Approve sources',
  description:
    'Allows sources to run their commands: exactly these, in these folders, with the files they start as they are now. When ' +
    'any of that changes, a source stops running and waits until it is approved again. Of several, none is approved where ' +
    'one is not there or cannot run.',
  input: z.strictObject({
    ids: z
      .array(z.string().trim().min(1).max(128))
      .min(1)
      .describe('Which ones, by id, as `sources list` shows them.'),
    fingerprint: z
      .string()
      .trim()
      .min(8)
      .max(64)
      .exactOptional()
      .describe('Approve one only if it has this fingerprint, as `sources list` or `sources show` told it.'),
  }),
  output: z.strictObject({ approved: z.array(approvedSource) }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [
    { title: 'Let the command of a source run', input: { ids: ['tasks'] } },
    { title: 'Let those of several run', input: { ids: ['tasks', 'calendar'] } },
  ],
  run: runSourcesApprove,
};

async function runSourcesApprove(
  context: OperationContext,
  { ids, fingerprint }: SourcesApproveInput,
): Promise<SourcesApproveOutput> {
  const meant = [...new Set(ids)];
  if (fingerprint !== undefined && meant.length > 1)
    throw new LociError('invalid_input', 'a fingerprint is of one source; several were named', {
      hint: 'Approve them one at a time.',
    });
  const { sources } = await context.loci({ create: true });
  if (meant.length > 1) refuseUnfit(await sources.list(), meant);
  const approved: ApprovedSource[] = [];
  for (const id of meant) {
    const what = await sources.approve(id, fingerprint);
    approved.push({
      id,
      command: formatCommand(what.argv),
      cwd: what.cwd,
      fingerprint: what.fingerprint.slice(0, SHOWN),
      changes: [...what.changes],
      shell: what.shell,
    });
  }
  return { approved };
}

/** What can be told before is told before anything is approved. @throws LociError `not_found`, `invalid_config` */
function refuseUnfit(reports: readonly SourceReport[], ids: readonly string[]): void {
  const commands = reports.filter(({ kind, condition }) => kind !== 'vault' && condition !== 'gone');
  for (const id of ids) {
    const report = commands.find((each) => each.id === id);
    if (report === undefined)
      throw noSuchSource(
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
