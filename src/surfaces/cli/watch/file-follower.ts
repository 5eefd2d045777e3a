import { stat } from 'node:fs/promises';

/** Milliseconds between two looks. */
const LOOK = 1000;

/** Tells when a file has become another, or is gone, and has stayed so for a look: editors write in several steps. */
export class FileFollower {
  readonly #path: string;
  readonly #onChange: () => Promise<void>;
  #known: string;
  #last: string;
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  private constructor(path: string, state: string, onChange: () => Promise<void>) {
    this.#path = path;
    this.#onChange = onChange;
    this.#known = state;
    this.#last = state;
  }

  /** @param onChange is waited for before it is looked again; must not fail */
  static async follow(path: string, onChange: () => Promise<void>): Promise<FileFollower> {
    const follower = new FileFollower(path, await stateOf(path), onChange);
    follower.#wait();
    return follower;
  }

  /** Nothing is told after this. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#working;
  }

  #wait(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#working = this.#compare().then(() => this.#wait());
    }, LOOK).unref();
  }

  async #compare(): Promise<void> {
    const state = await stateOf(this.#path);
    const isSettled = state === this.#last;
    this.#last = state;
    if (this.#closed || !isSettled || state === this.#known) return;
    this.#known = state;
    await this.#onChange();
  }
}

async function stateOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    // Why it cannot be looked at is told by whoever reads it.
    return '';
  }
}
