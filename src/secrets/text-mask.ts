import type { TaskRunner } from '../core/threads/task-thread.ts';
import { maskDetected } from './detect.ts';

/** Masks the credentials in the texts of one answer, of which many are the same: each text is searched once. */
export class TextMask {
  readonly #thread: TaskRunner;
  readonly #masked = new Map<string, Promise<string>>();

  constructor(thread: TaskRunner) {
    this.#thread = thread;
  }

  text(text: string): Promise<string> {
    const known = this.#masked.get(text);
    if (known !== undefined) return known;
    const masked = maskDetected(this.#thread, text);
    this.#masked.set(text, masked);
    return masked;
  }

  texts(texts: readonly string[]): Promise<string[]> {
    return Promise.all(texts.map((text) => this.text(text)));
  }
}
