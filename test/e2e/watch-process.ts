import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type CommandResult, startLoci } from './loci-command.ts';

/** A line of `loci sources watch --json`. */
export interface WatchEvent {
  readonly at: string;
  readonly event: 'watching' | 'begun' | 'refreshed' | 'failed' | 'waiting' | 'left' | 'embedded';
  readonly source?: string;
  readonly added?: number;
  readonly updated?: number;
  readonly removed?: number;
  readonly unchanged?: number;
  /** The sources of the first event, as `loci sources list` has them. */
  readonly sources?: readonly { readonly id: string; readonly condition: string }[];
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
}

type EventFilter = (event: WatchEvent) => boolean;

/** Matches a successful refresh of that source. */
export function refreshed(source: string): EventFilter {
  return (event) => event.event === 'refreshed' && event.source === source;
}

/** Matches an event of that kind, about that source if one is given. */
export function eventOf(kind: WatchEvent['event'], source?: string): EventFilter {
  return (event) => event.event === kind && event.source === source;
}

/** A process of `loci sources watch --json`. It is killed at the end of the test. */
export class WatchProcess {
  readonly events: WatchEvent[] = [];
  readonly child: ChildProcess;
  readonly ended: Promise<CommandResult>;
  readonly #waiting = new Set<() => void>();

  constructor(home: string, env: NodeJS.ProcessEnv = {}) {
    const { child, ended } = startLoci(['sources', 'watch', '--json'], { home, env });
    this.child = child;
    this.ended = ended;
    onTestFinished(() => void child.kill('SIGKILL'));
    createInterface(child.stdout as Readable).on('line', (line) => {
      this.events.push(JSON.parse(line) as WatchEvent);
      for (const check of this.#waiting) check();
    });
  }

  /**
   * Waits for an event. The first `after` events do not count.
   * @throws if the process ends first, or after `timeoutMs`
   */
  async next(filter: EventFilter, after = 0, timeoutMs = 100_000): Promise<WatchEvent> {
    const { promise, resolve, reject } = Promise.withResolvers<WatchEvent>();
    const check = (): void => {
      const found = this.events.slice(after).find(filter);
      if (found !== undefined) resolve(found);
    };
    const log = (): string => this.events.map((event) => JSON.stringify(event)).join('\n');
    const timer = setTimeout(() => reject(new Error(`no such event:\n${log()}`)), timeoutMs);
    void this.ended.then(({ code, stderr }) => reject(new Error(`ended with ${String(code)}: ${stderr}`)));
    this.#waiting.add(check);
    try {
      check();
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(check);
    }
  }

  /** The number of matching events so far. */
  count(filter: EventFilter): number {
    return this.events.filter(filter).length;
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<CommandResult> {
    this.child.kill(signal);
    return this.ended;
  }
}
