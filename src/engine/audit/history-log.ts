import { mapStrings } from '../../core/json.ts';
import type { TaskRunner } from '../../core/threads/task-thread.ts';
import type { HistoryDraft, HistoryRow } from '../../store/admin-model.ts';
import { historyChanges } from '../../store/items/kinds.ts';
import { maskPersonalNumbers } from '../../secrets/personal-numbers.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { EngineServices } from '../context.ts';
import { DelayedWrites } from '../shared/delayed-writes.ts';
import type { Json } from '../../core/types.ts';

/** Older runs of a namespace and category are deleted. */
export const MAX_RUNS_PER_CATEGORY = 10_000;
export const RUN_LIFETIME_MS: number = 90 * 24 * 60 * 60 * 1000;

/** A run of a tool, or of several steps such as a refresh. */
type Run = Omit<HistoryDraft, 'expiresAt'>;

/** Writes runs to the store in the background, so that callers do not wait. */
export class HistoryLog extends DelayedWrites<HistoryDraft> {
  /** Detects secrets in long texts. */
  readonly #thread: TaskRunner;
  readonly #services: EngineServices;

  constructor(services: EngineServices) {
    super(services, {
      delayMs: 200,
      maxPending: 1000,
      failure: 'Runs were not recorded',
      write: async (store, namespace, runs) => {
        const rows: HistoryDraft[] = [];
        for (const run of runs) rows.push(await this.#maskedRun(run));
        return store.records.commit(namespace, { items: historyChanges(rows, MAX_RUNS_PER_CATEGORY) });
      },
    });
    this.#thread = services.thread.ownedBy(ADMIN_NAMESPACE);
    this.#services = services;
  }

  record(namespace: string, run: Run): void {
    this.add(namespace, { ...run, expiresAt: run.at + RUN_LIFETIME_MS });
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
