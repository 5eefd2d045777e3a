import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type Ran, startLoci } from './loci-command.ts';

/** A line of `loci watch --json`. */
export interface WatchEvent {
  readonly at: string;
  readonly event: 'watching' | 'begun' | 'refreshed' | 'failed' | 'waiting' | 'left' | 'embedded';
  readonly source?: string;
  readonly added?: number;
  readonly updated?: number;
  readonly removed?: number;
  readonly unchanged?: number;
  /** What is kept fresh, and what is not and why. */
  readonly sources?: readonly { readonly id: string; readonly skipped: string | null }[];
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
}

type Wanted = (event: WatchEvent) => boolean;

/** A refresh of that source that succeeded. */
export function refreshed(source: string): Wanted {
  return (event) => event.event === 'refreshed' && event.source === source;
}

export function told(kind: WatchEvent['event'], source?: string): Wanted {
  return (event) => event.event === kind && event.source === source;
}

/** `loci watch --json` as a process of its own; killed with the test, if it still runs. */
export class WatchProcess {
  readonly events: WatchEvent[] = [];
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  readonly #waiting = new Set<() => void>();

  constructor(home: string, env: NodeJS.ProcessEnv = {}) {
    const { child, ended } = startLoci(['watch', '--json'], { home, env });
    this.child = child;
    this.ended = ended;
    onTestFinished(() => void child.kill('SIGKILL'));
    createInterface(child.stdout as Readable).on('line', (line) => {
      this.events.push(JSON.parse(line) as WatchEvent);
      for (const look of this.#waiting) look();
    });
  }

  /**
   * The first event of that kind after as many others, of those so far and those to come.
   * @throws where the process ends first, or it takes longer than `patience` milliseconds
   */
  async next(wanted: Wanted, after = 0, patience = 30_000): Promise<WatchEvent> {
    const { promise, resolve, reject } = Promise.withResolvers<WatchEvent>();
    const look = (): void => {
      const found = this.events.slice(after).find(wanted);
      if (found !== undefined) resolve(found);
    };
    const told = (): string => this.events.map((event) => JSON.stringify(event)).join('\n');
    const timer = setTimeout(() => reject(new Error(`it did not come; there was\n${told()}`)), patience);
    void this.ended.then(({ code, stderr }) => reject(new Error(`ended with ${String(code)}: ${stderr}`)));
    this.#waiting.add(look);
    try {
      look();
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(look);
    }
  }

  /** How many events there were of a kind. */
  count(wanted: Wanted): number {
    return this.events.filter(wanted).length;
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ran> {
    this.child.kill(signal);
    return this.ended;
  }
}
