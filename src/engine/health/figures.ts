import { z } from 'zod';
import { ORIGINS } from '../../core/types.ts';
import type { StoreFigures } from '../../store/admin-model.ts';
import { historyRuns, samplePut, storeSamples } from '../../store/items/kinds.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import { HistoryLog } from '../audit/history-log.ts';
import type { EngineContext } from '../context.ts';
import { count } from '../fields/record-fields.ts';

const SEARCH = 'memory_search';
const MAX_RUNS = 10_000;

export const figuresOutput = z.strictObject({
  size: z
    .array(
      z.strictObject({
        day: z.iso.date().describe('In UTC.'),
        bytes: count().describe('On disk, journals included.'),
        records: count(),
        by_origin: z.partialRecord(z.enum(ORIGINS), count()),
        vectors: count(),
      }),
    )
    .describe(
      'The size of the store, all namespaces together, oldest first: one sample a day on which a server ran, at most 400.',
    ),
  searches: z
    .array(
      z.strictObject({
        day: z.iso.date().describe('In UTC.'),
        runs: count(),
        median_ms: count(),
        slow_ms: count().describe('95 of 100 searches were at most as slow.'),
        slowest_ms: count(),
      }),
    )
    .describe(
      'How long searches of agents in this namespace took, oldest day first: of the last 10,000 runs, at most 90 days. Searches ' +
        'of the owner are not recorded.',
    ),
});
export type FiguresOutput = z.infer<typeof figuresOutput>;

/** How the store has grown, and how long searches took. */
export async function figures(context: EngineContext): Promise<FiguresOutput> {
  const { store, namespace, now } = context;
  await context.shared(HistoryLog).flush();
  const samples = await storeSamples(store.records, ADMIN_NAMESPACE);
  const selector = { category: 'pack_history', now: now() } as const;
  const runs = await historyRuns(store.records, namespace, selector, { after: null, limit: MAX_RUNS });
  const searches = runs.filter(({ name }) => name === SEARCH);
  const byDay = Map.groupBy(searches, ({ at }) => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length));
  return {
    size: samples.map(({ day, bytes, records, byOrigin, vectors }) => ({
      day,
      bytes,
      records,
      by_origin: byOrigin,
      vectors,
    })),
    searches: [...byDay]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, ofDay]) => {
        const took = ofDay.map(({ tookMs }) => Math.round(tookMs)).toSorted((a, b) => a - b);
        const quantile = (share: number): number => took[Math.ceil(share * took.length) - 1]!;
        return {
          day,
          runs: took.length,
          median_ms: quantile(0.5),
          slow_ms: quantile(0.95),
          slowest_ms: quantile(1),
        };
      }),
  };
}

/** A day is sampled at the first of these checks, so that a server that is restarted often also has every day. */
const CHECK_INTERVAL_MS = 3_600_000;
const MAX_SAMPLES = 400;

/** Records the size of the store once a day, until the engine is closed. */
export function keepSamples(context: EngineContext): void {
  const sample = (): void =>
    void sampleStore(context).catch((error: unknown) =>
      context.warnOfFailure('The size of the store was not recorded', error),
    );
  sample();
  const timer = setInterval(sample, CHECK_INTERVAL_MS).unref();
  context.closeWithEngine({
    close: async () => {
      clearInterval(timer);
    },
  });
}

/** Records the size of the store unless it was recorded on this day. A store that is read-only stays as it is. */
export async function sampleStore(context: EngineContext): Promise<void> {
  const { store, now, namespace } = context;
  const at = now();
  const day = new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const samples = await storeSamples(store.records, ADMIN_NAMESPACE);
  if (store.capabilities.readOnly || samples.some((sample) => sample.day === day)) return;
  const sample = { day, at, ...(await storeFigures(context)) };
  await store.records.commit(namespace, { adminItems: samplePut(sample, MAX_SAMPLES) });
}

async function storeFigures({ store }: EngineContext): Promise<StoreFigures> {
  const { bytes, namespaces } = await store.admin.stats(ADMIN_NAMESPACE);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const byOrigin = ORIGINS.map((origin) => [
    origin,
    sum(namespaces.map((each) => each.byOrigin[origin] ?? 0)),
  ]);
  return {
    bytes,
    records: sum(namespaces.map(({ records }) => records)),
    byOrigin: Object.fromEntries(byOrigin) as StoreFigures['byOrigin'],
    vectors: sum(namespaces.map(({ vectors }) => vectors)),
  };
}
