import { z } from 'zod';
import { commandInWords } from '../engine/sources/approval.ts';
import type { Operation, OperationContext } from './operation.ts';
import { idInput, SHOWN } from './source-output.ts';

export interface SourcesApproveInput {
  readonly id: string;
  readonly fingerprint?: string;
}

export interface SourcesApproveOutput {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly fingerprint: string;
  readonly changes: string[];
}

export const sourcesApprove: Operation<SourcesApproveInput, SourcesApproveOutput> = {
  name: 'sources-approve',
  title: 'Approve a source',
  description:
    'Allows a source to run its command: exactly this one, in this folder, with the files it starts as they are now. When ' +
    'any of that changes, it stops running and waits until it is approved again.',
  input: z.strictObject({
    id: idInput(),
    fingerprint: z
      .string()
      .trim()
      .min(8)
      .max(64)
      .exactOptional()
      .describe('Approve only what has this fingerprint, as `sources list` or `sources show` told it.'),
  }),
  output: z.strictObject({
    id: z.string(),
    command: z.string().describe('What may run now.'),
    cwd: z.string().describe('The folder that it runs in.'),
    fingerprint: z.string(),
    changes: z.array(z.string()).describe('What is different from what was approved before.'),
  }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  examples: [{ title: 'Let the command of a source run', input: { id: 'tasks' } }],
  run: runSourcesApprove,
};

async function runSourcesApprove(
  context: OperationContext,
  { id, fingerprint }: SourcesApproveInput,
): Promise<SourcesApproveOutput> {
  const loci = await context.loci({ create: true });
  const what = await loci.sources.approve(id, fingerprint);
  return {
    id,
    command: commandInWords(what.argv),
    cwd: what.cwd,
    fingerprint: what.fingerprint.slice(0, SHOWN),
    changes: [...what.changes],
  };
}
