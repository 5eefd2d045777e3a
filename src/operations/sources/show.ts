import { z } from 'zod';
import { unwatched } from '../../engine/reading/approval/unwatched.ts';
import { parseApproval } from '../../engine/reading/approval/approval-record.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { idInput, requireReport, sourceOutput, toSourceOutput } from './source-output.ts';

const runs = z.strictObject({
  argv: z.array(z.string()).describe('The program and its arguments, as the system receives them.'),
  program: z.string().nullable().describe('The file that is executed; null when there is none.'),
  cwd: z.string().describe('The working folder.'),
  env: z
    .array(z.string())
    .describe('Variables that the command may read in addition to those that every program needs.'),
  shell: z.boolean().describe('Whether the command is a line for a shell.'),
  files: z
    .array(z.strictObject({ path: z.string(), state: z.string() }))
    .describe(
      'The watched files, each with the SHA-256 of its content, or `system` for a file that only root can change.',
    ),
  fingerprint: z.string().describe('SHA-256 of all of the above.'),
  not_watched: z.string().describe('What may change without a new approval, unless `watch` lists it.'),
  approved: z
    .strictObject({ at: z.iso.datetime(), by: z.string(), fingerprint: z.string() })
    .nullable()
    .describe('The last approval. The command runs while its fingerprint is the current one.'),
});

const input = z.strictObject({ id: idInput() });
const output = z.strictObject({
  source: sourceOutput,
  runs: runs.nullable().describe('The command; null for a vault, and for a source that cannot run.'),
});
export type SourcesShowOutput = z.infer<typeof output>;

export const sourcesShowOperation: Operation<typeof input, typeof output> = {
  name: 'sources-show',
  title: 'Show a source',
  description:
    'Shows everything about one source: its exact command, working folder, variables and watched files, what was approved and ' +
    'when, and its statistics.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'The command of a source and its statistics', input: { id: 'tasks' } }],
  run: runSourcesShow,
};

async function runSourcesShow(
  context: OperationContext,
  { id }: { readonly id: string },
): Promise<SourcesShowOutput> {
  const report = await requireReport(context, id);
  const source = toSourceOutput(report, true);
  const { command, state } = report;
  if (command === null) return { source, runs: null };
  const { approval, approvedAt, approvedBy } = state ?? {
    approval: null,
    approvedAt: null,
    approvedBy: null,
  };
  return {
    source,
    runs: {
      argv: [...command.argv],
      program: command.program,
      cwd: command.cwd,
      env: [...command.env],
      shell: command.shell,
      files: command.files.map((file) => ({ ...file })),
      fingerprint: command.fingerprint,
      not_watched: unwatched(command).text,
      approved:
        approval === null
          ? null
          : {
              at: new Date(approvedAt ?? 0).toISOString(),
              by: approvedBy ?? '',
              fingerprint: parseApproval(state)?.fingerprint ?? '',
            },
    },
  };
}
