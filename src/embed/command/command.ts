/** A program of the user that makes vectors, and speaks JSON on its standard input and output. docs/providers.md has the protocol. */

import { LociError } from '../../core/errors.ts';
import { argvOf } from '../../core/text/split-command.ts';
import { Program } from './program.ts';
import type { EmbeddingPurpose } from '../embedder.ts';
import type { WireOptions } from '../http/provider-error.ts';
import type { Provider, Wire, WireSettings } from '../provider.ts';

export const command: Provider = {
  name: 'command',
  batch: { items: 32, tokens: 8192 },
  // A program that reads line by line works on one request at a time.
  concurrency: 1,
  open: (settings) => {
    const { command: line } = settings;
    if (line === undefined)
      throw new LociError('invalid_config', 'embedding.command is missing: the provider command runs it', {
        hint: 'Name a program, such as `command: [node, /path/to/embed.js]`; docs/providers.md has its protocol.',
      });
    const argv = argvOf({ command: line, shell: false });
    return settings.commandMode === 'once' ? new OneShot(argv, settings) : new Stream(argv, settings);
  },
};

/** Runs the program for each request. */
class OneShot implements Wire {
  readonly #argv: readonly string[];
  readonly #settings: WireSettings;
  readonly #running = new Set<Program>();
  readonly #ending = new Set<Promise<void>>();

  constructor(argv: readonly string[], settings: WireSettings) {
    this.#argv = argv;
    this.#settings = settings;
  }

  async send(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    options: WireOptions,
  ): Promise<unknown[][]> {
    // Programs that end slowly do not become many. Nobody waits for passages as for a query.
    if (purpose === 'passage') await Promise.all(this.#ending);
    const program = new Program(this.#argv, this.#settings);
    this.#running.add(program);
    try {
      const request = { id: 1, purpose, model: this.#settings.model, texts };
      const sent = program.request(request, options);
      program.endInput();
      return await sent;
    } finally {
      this.#running.delete(program);
      const ending = program.end();
      this.#ending.add(ending);
      void ending.then(() => this.#ending.delete(ending));
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#ending, ...[...this.#running].map((program) => program.end())]);
  }
}

/** Keeps the program running, and starts it again after it has ended. */
class Stream implements Wire {
  readonly #argv: readonly string[];
  readonly #settings: WireSettings;
  #program: Program | null = null;
  #lastId = 0;

  constructor(argv: readonly string[], settings: WireSettings) {
    this.#argv = argv;
    this.#settings = settings;
  }

  send(texts: readonly string[], purpose: EmbeddingPurpose, options: WireOptions): Promise<unknown[][]> {
    if (this.#program?.isRunning !== true) this.#program = new Program(this.#argv, this.#settings);
    this.#lastId += 1;
    return this.#program.request({ id: this.#lastId, purpose, model: this.#settings.model, texts }, options);
  }

  async close(): Promise<void> {
    await this.#program?.end();
  }
}
