import { LociError } from './errors.ts';

/** The progress of a long call. */
export interface Progress {
  readonly stage: 'reading' | 'deriving' | 'embedding' | 'waiting';
  /** The name of the vault that is read, or that another process is reading. */
  readonly subject: string;
  readonly done: number;
  readonly total: number;
}

/** How a caller follows a long call and stops it. */
export interface ProgressOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** @throws LociError `aborted` */
export function assertNotAborted({ signal }: ProgressOptions): void {
  if (signal?.aborted === true) throw new LociError('aborted', 'the operation was stopped');
}

/** The signal alone, as an option that may be missing. */
export function signalOption({ signal }: ProgressOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
