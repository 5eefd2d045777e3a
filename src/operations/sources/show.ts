import { z } from 'zod';
import { parseApproval } from '../../engine/sources/approval-record.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { idInput, outputOf, reportOf, sourceOutput, type SourceOutput } from './source-output.ts';

export interface SourcesShowOutput {
  readonly source: SourceOutput;
  readonly runs: {
    readonly argv: string[];
    readonly program: string | null;
    readonly cwd: string;
    readonly env: string[];
    readonly shell: boolean;
    readonly files: { readonly path: string; readonly state: string }[];
    readonly fingerprint: string;
    readonly approved: { readonly at: string; readonly by: string; readonly fingerprint: string } | null;
  } | null;
}

export const sourcesShow: Operation<{ readonly id: string }, SourcesShowOutput> = {
  name: 'sources-show',
  title: 'Show a source',
  description:
    'Shows everything about one source: exactly what runs, in which folder, with which files and variables, what of that ' +
    'was approved and when, and how it did so far.',
  input: z.strictObject({ id: idInput() }),
  output: z.strictObject({
    source: sourceOutput,
    runs: z
      .strictObject({
        argv: z.array(z.string()).describe('The program and its arguments, as the system is given them.'),
        program: z.string().nullable().describe('The file that is started; null when there is none.'),
        cwd: z.string(),
        env: z.array(z.string()).describe('Variables that it sees beside those that every program needs.'),
        shell: z
          .boolean()
          .describe('Whether the command is a line for a shell. Files that the line starts are not watched.'),
        files: z
          .array(z.strictObject({ path: z.string(), state: z.string() }))
          .describe(
            'The watched files, each with the SHA-256 of its content, or `system` for a file that only root can change.',
          ),
        fingerprint: z.string().describe('SHA-256 of all of that.'),
        approved: z
          .strictObject({ at: z.iso.datetime(), by: z.string(), fingerprint: z.string() })
          .nullable()
          .describe('What was approved last; it runs while its fingerprint is the present one.'),
      })
      .nullable()
      .describe('What runs; null of a vault, and of what cannot be run as it stands.'),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'What runs, and how it did', input: { id: 'tasks' } }],
  run: runSourcesShow,
};

async function runSourcesShow(
  context: OperationContext,
  { id }: { readonly id: string },
): Promise<SourcesShowOutput> {
  const report = await reportOf(context, id);
  const source = outputOf(report, true);
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
