import { asTyped } from '../../shared/command-names.ts';

/** The command line with the settings of the plugin. */
export const HOST_COMMAND = 'openclaw loci';

/** A message that names commands as people type them in OpenClaw: plain `loci` does not have the settings of the plugin. */
export function inHostWords(text: string): string {
  return asTyped(text, HOST_COMMAND);
}

/** Logs each problem once, until it is another one or is solved. */
export class ProblemLog {
  readonly #log: (message: string) => void;
  readonly #last = new Map<string, string>();

  constructor(log: (message: string) => void) {
    this.#log = log;
  }

  /** @param what has the problem: `the workspace of main cannot be indexed` */
  report(what: string, error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (this.#last.get(what) === problem) return;
    this.#last.set(what, problem);
    this.#log(`${what}: ${problem}`);
  }

  solved(what: string): void {
    this.#last.delete(what);
  }
}
