import { threadId } from 'node:worker_threads';
import { LociError } from '../../src/core/errors.ts';

// Tasks for the tests of worker threads.

export function textAndThreadId(text: string): string {
  return `${text.slice(0, 5)} in ${String(threadId)}`;
}

export function throwLociError(): never {
  throw new LociError('invalid_input', 'the text is wrong', { hint: 'Write another one.' });
}

export function throwTypeError(): never {
  throw new TypeError('undefined is no function');
}

/** Ends the thread that it runs in. */
export function exitThread(): void {
  process.exit(7);
}

export function blockForever(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** The lengths of the texts, how many there are, and the thread that reads them. */
export function groupOf(texts: readonly string[], suffix: string): string[] {
  return texts.map(
    ({ length }) => `${String(length)} of ${String(texts.length)}${suffix} in ${String(threadId)}`,
  );
}
