import { LociError } from './errors.ts';

/** The progress of a long call. */
export interface Progress {
  readonly stage:
    | 'reading'
    | 'deriving'
    | 'relating'
    | 'embedding'
    | 'indexing'
    | 'waiting'
    | 'checking'
    | 'copying'
    | 'deleting';
  /** What is read, checked or waited for, such as the name of a vault; may be empty. */
  readonly subject: string;
  /** Units of the stage, such as files or texts. */
  readonly done: number;
  /** 0 if it is not known. */
  readonly total: number;
  /** What works meanwhile, if it is not what the stage says. Shown once. */
  readonly meanwhile?: string;
  /** The same in units that take about the same time each, such as bytes of text, where the units above do not. */
  readonly work?: { readonly done: number; readonly total: number };
}

/** Options to observe and abort a long call. */
export interface ProgressOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** @throws LociError `aborted` */
export function assertNotAborted({ signal }: ProgressOptions): void {
  if (signal?.aborted === true) throw new LociError('aborted', 'the operation was stopped');
}

/** Returns options with only the signal. The property is absent, not `undefined`, if there is no signal. */
export function pickSignal({ signal }: ProgressOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
