import { threadId } from 'node:worker_threads';
import { LociError } from '../../src/core/errors.ts';

/** Tasks that a thread is given in tests. */

export function whereAmI(text: string): string {
  return `${text.slice(0, 5)} in ${String(threadId)}`;
}

export function refuse(): never {
  throw new LociError('invalid_input', 'the text is wrong', { hint: 'Write another one.' });
}

export function stumble(): never {
  throw new TypeError('undefined is no function');
}

/** Ends the thread that it runs in. */
export function die(): void {
  process.exit(7);
}

export function neverEnd(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
