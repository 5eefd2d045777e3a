import type { Readable } from 'node:stream';
import type { WriteStream } from 'node:tty';

/** An output that may be a terminal. */
export type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

/** Where a command reads and writes: the process. */
export interface Io {
  readonly stdin: Readable & { readonly fd?: number };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
}

const WIDEST = 100;

/** Columns to write in: the terminal's, at most 100; 100 for a file or a pipe. */
export function columnsOf(output: Output): number {
  return Math.max(30, Math.min(output.columns ?? WIDEST, WIDEST));
}

/** Whether a person at a terminal sees it. */
export function isTerminal(output: Output): boolean {
  return output.isTTY === true;
}
