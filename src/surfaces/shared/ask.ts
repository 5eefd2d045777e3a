import { createInterface } from 'node:readline/promises';
import { LociError } from '../../core/errors.ts';
import { escapeControl } from './escape-control.ts';
import { type Io, isTerminal } from './io.ts';

/** Whether somebody can be asked. */
export function mayAsk({ stdin, stderr }: Io): boolean {
  return isTerminal(stderr) && 'isTTY' in stdin && stdin.isTTY === true;
}

/** Asks a question on standard error. @throws LociError `aborted` unless the answer is yes */
export async function askYesNo(
  io: Io,
  question: string,
  { hint, signal }: { readonly hint?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  if (await isAnsweredYes(io, question, signal)) return;
  throw new LociError('aborted', 'nothing was changed', { ...(hint !== undefined && { hint }) });
}

/** Asks a question on standard error. Any answer but yes is no. */
export async function isAnsweredYes(io: Io, question: string, signal?: AbortSignal): Promise<boolean> {
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await terminal.question(`${escapeControl(question)} [y/N] `, {
      ...(signal && { signal }),
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
