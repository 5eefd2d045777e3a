import { once } from 'node:events';
import type { LocalIo } from '../../operations/operation.ts';
import type { Io } from '../shared/io.ts';
import { readStdin } from './stdin.ts';

/** Bytes of standard input that are held for a verb that reads it more than once. */
const MOST = 128 * 1024 * 1024;

/** The machine as a command has it: whoever runs it may read and write its owner's files. */
export class CommandMachine implements LocalIo {
  readonly #io: Io;
  #hasAnswered = false;

  constructor(io: Io) {
    this.#io = io;
  }

  /** Whether a verb wrote its answer to standard output by itself. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  readInput(): Promise<string> {
    return readStdin(this.#io, MOST);
  }

  async writeOutput(text: string): Promise<void> {
    this.#hasAnswered = true;
    if (!this.#io.stdout.write(text)) await once(this.#io.stdout, 'drain');
  }
}
