import { mapStrings } from '../../core/json.ts';
import type { TaskRunner } from '../../core/threads/task-thread.ts';
import type { HistoryDraft, HistoryRow } from '../../store/admin-model.ts';
import { historyChanges } from '../../store/items/kinds.ts';
import { maskPersonalNumbers } from '../../secrets/personal-numbers.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { Store } from '../../store/store.ts';
import type { EngineServices } from '../context.ts';
import type { Json } from '../../core/types.ts';

/** Runs wait this long, so that many of them are written in one transaction. */
const FLUSH_DELAY_MS = 200;
const MAX_PENDING_RUNS = 1000;
/** Older runs of a namespace and category are deleted. */
export const MAX_RUNS_PER_CATEGORY = 10_000;
export const RUN_LIFETIME_MS: number = 90 * 24 * 60 * 60 * 1000;

/** A run of a tool, or of several steps such as a refresh. */
type Run = Omit<HistoryDraft, 'expiresAt'>;

interface PendingRun {
  readonly namespace: string;
  readonly row: HistoryDraft;
}

/** Writes runs to the store in the background, so that callers do not wait. */
export class HistoryLog {
  readonly #store: Store;
  /** Detects secrets in long texts. */
  readonly #thread: TaskRunner;
  readonly #services: EngineServices;
  #pending: PendingRun[] = [];
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(services: EngineServices) {
    this.#store = services.store;
    this.#thread = services.thread.ownedBy(ADMIN_NAMESPACE);
    this.#services = services;
    services.flushOnClose(() => this.flush());
  }

  record(namespace: string, run: Run): void {
    if (this.#store.capabilities.readOnly) return;
    this.#pending.push({ namespace, row: { ...run, expiresAt: run.at + RUN_LIFETIME_MS } });
    if (this.#pending.length >= MAX_PENDING_RUNS) void this.flush();
    // The timer does not keep the process alive: `close` writes what is pending.
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS).unref();
  }

  /** Resolves when all recorded runs are in the store. Runs that cannot be written are dropped. */
  flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const runs = this.#pending;
    this.#pending = [];
    if (runs.length > 0) {
      this.#writing = this.#writing
        .then(() => this.#write(runs))
        .catch((error: unknown) => this.#services.warnOfFailure('Runs were not recorded', error));
    }
    return this.#writing;
  }

  async #write(rows: readonly PendingRun[]): Promise<void> {
    const masked: PendingRun[] = [];
    for (const { namespace, row } of rows) {
      masked.push({ namespace, row: await this.#maskedRun(row) });
    }
    for (const [namespace, notes] of Map.groupBy(masked, (each) => each.namespace)) {
      const rows = notes.map(({ row }) => row);
      await this.#store.records.commit(namespace, { items: historyChanges(rows, MAX_RUNS_PER_CATEGORY) });
    }
  }

  /** Programs that use the library record runs of their own, so that every text of a run may hold a secret. */
  async #maskedRun({ name, surface, actor, inputs, outcome, ...rest }: HistoryDraft): Promise<HistoryDraft> {
    const texts = { name, surface, actor, inputs, outcome };
    const masked = (await mapStrings(texts, this.#masked)) as unknown as typeof texts;
    return { ...rest, ...masked };
  }

  /** Masks secrets even when `writes.secrets` allows them, because the caller of an operation did not ask to store its input. */
  readonly #masked = async (text: string, name: string): Promise<string> => {
    const { maskDetected } = await import('../../secrets/detect.ts');
    const masked = await maskDetected(this.#thread, text, name);
    return this.#services.config.writes.maskPersonal ? maskPersonalNumbers(masked).text : masked;
  };
}

/** `## Pack call: memory_write`, then the input of the run and its outcome. */
export function runText({ category, name, surface, actor, inputs, outcome, at, tookMs }: HistoryRow): string {
  const heading = category === 'pack_history' ? 'Pack call' : 'Pipeline run';
  const inputLines = Object.entries(inputs).map(([field, value]) => `${label(field)}: ${formatValue(value)}`);
  const lines = [...inputLines, `By: ${actor} (${surface})`, `At: ${new Date(at).toISOString()}`];
  return `## ${heading}: ${name}\n\n${lines.join('\n')}\n\nOutcome: ${outcome} (${String(tookMs)} ms)`;
}

function label(field: string): string {
  return field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ');
}

function formatValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
