import { z } from 'zod';
import { approvedOf } from '../../engine/sources/approved.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { idInput, outputOf, reportOf, sourceOutput, type SourceOutput } from './source-output.ts';

export interface SourcesShowOutput {
  readonly source: SourceOutput;
  readonly runs: {
    readonly argv: string[];
    readonly program: string | null;
    readonly cwd: string;
    readonly env: string[];
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
        files: z
          .array(z.strictObject({ path: z.string(), state: z.string() }))
          .describe(
            'What is started, with the SHA-256 of what it holds; `system`: nobody but root can change it; no state: in words, what ' +
              'cannot be watched.',
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
  const { approvable, state } = report;
  if (approvable === null) return { source, runs: null };
  const { approval, approvedAt, approvedBy } = state ?? {
    approval: null,
    approvedAt: null,
    approvedBy: null,
  };
  return {
    source,
    runs: {
      argv: [...approvable.argv],
      program: approvable.program,
      cwd: approvable.cwd,
      env: [...approvable.env],
      files: approvable.files.map((file) => ({ ...file })),
      fingerprint: approvable.fingerprint,
      approved:
        approval === null
          ? null
          : {
              at: new Date(approvedAt ?? 0).toISOString(),
              by: approvedBy ?? '',
              fingerprint: approvedOf(state)?.fingerprint ?? '',
            },
    },
  };
}
