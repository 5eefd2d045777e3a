import type { Readable } from 'node:stream';
import type { WriteStream } from 'node:tty';

/** An output that may be a terminal. */
export type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

/** The streams and variables of a command: those of the process, unless a test passes others. */
export interface Io {
  readonly stdin: Readable & { readonly fd?: number };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
}

const MAX_COLUMNS = 100;
/** A terminal that reports fewer columns usually does not know its width. */
const MIN_COLUMNS = 40;
const DEFAULT_COLUMNS = 80;

/** The width to format for: the terminal's, at most 100; 80 if it is unknown; 100 for a file or a pipe. */
export function outputColumns(output: Output): number {
  const columns = output.columns ?? (isTerminal(output) ? DEFAULT_COLUMNS : MAX_COLUMNS);
  return columns < MIN_COLUMNS ? DEFAULT_COLUMNS : Math.min(columns, MAX_COLUMNS);
}

export function isTerminal(output: Output): boolean {
  return output.isTTY === true;
}
