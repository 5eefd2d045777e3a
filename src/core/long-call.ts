import { LociError } from './errors.ts';

/** What a long call is doing, for a progress line. */
export interface Progress {
  readonly stage: 'reading' | 'deriving' | 'embedding' | 'waiting';
  /** What is read, or is waited for because another process reads it: a vault's name. */
  readonly subject: string;
  readonly done: number;
  readonly total: number;
}

export interface LongCallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface IndexOptions extends LongCallOptions {
  /** Lets a vault that had notes and now has none take them all out. */
  readonly allowEmpty?: boolean;
}

/** @throws LociError `aborted` */
export function assertNotAborted({ signal }: LongCallOptions): void {
  if (signal?.aborted === true) throw new LociError('aborted', 'deriving passages was stopped');
}

export function abortable({ signal }: LongCallOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
