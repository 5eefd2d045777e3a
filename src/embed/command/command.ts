/** A program of the user that makes vectors, and speaks JSON on its standard input and output. docs/providers.md has the protocol. */

import { LociError } from '../../core/errors.ts';
import { argvOf } from '../../core/text/split-command.ts';
import { Program } from './program.ts';
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
    return settings.commandMode === 'once' ? runEachTime(argv, settings) : keepRunning(argv, settings);
  },
};

/** Runs the program for each request. */
function runEachTime(argv: readonly string[], settings: WireSettings): Wire {
  const running = new Set<Program>();
  const ending = new Set<Promise<void>>();
  return {
    send: async (texts, purpose, options) => {
      // Programs that end slowly do not become many. Nobody waits for passages as for a query.
      if (purpose === 'passage') await Promise.all(ending);
      const program = new Program(argv, settings);
      running.add(program);
      try {
        const sent = program.request({ id: 1, purpose, model: settings.model, texts }, options);
        program.endInput();
        return await sent;
      } finally {
        running.delete(program);
        const end = program.end();
        ending.add(end);
        void end.then(() => ending.delete(end));
      }
    },
    close: async () => {
      await Promise.all([...ending, ...[...running].map((program) => program.end())]);
    },
  };
}

/** Keeps the program running, and starts it again after it has ended. */
function keepRunning(argv: readonly string[], settings: WireSettings): Wire {
  let program: Program | null = null;
  let lastId = 0;
  return {
    send: async (texts, purpose, options) => {
      if (program?.isRunning !== true) program = new Program(argv, settings);
      lastId += 1;
      return program.request({ id: lastId, purpose, model: settings.model, texts }, options);
    },
    close: async () => program?.end(),
  };
}
