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

/** A terminal that says it is narrower does not know its width, or breaks lines better than we could. */
const NARROWEST = 40;
const USUAL = 80;

/** Columns to write in: the terminal's, at most 100; 80 where its width is unknown; 100 for a file or a pipe. */
export function columnsOf(output: Output): number {
  const columns = output.columns ?? (isTerminal(output) ? USUAL : WIDEST);
  return columns < NARROWEST ? USUAL : Math.min(columns, WIDEST);
}

/** Whether a person at a terminal sees it. */
export function isTerminal(output: Output): boolean {
  return output.isTTY === true;
}
