import { z } from 'zod';
import { sha256 } from '../../../core/ids.ts';
import { HISTORY_CATEGORIES, type HistoryDraft, type HistoryRow } from '../../../store/admin-model.ts';
import { historyChanges, historyRuns } from '../../../store/items/kinds.ts';
import { MAX_RUNS_PER_CATEGORY, RUN_LIFETIME_MS } from '../../audit/history-log.ts';
import type { EngineContext } from '../../context.ts';
import { assertWithinLimits } from '../../fields/limits.ts';
import { screenTexts } from '../../records/screen.ts';
import {
  assertShort,
  ITEMS_PER_WRITE,
  readPage,
  type Batch,
  type ItemType,
  type Position,
} from './item-type.ts';
import { jsonObject, lineFormat, time } from './line-format.ts';

const schema = z.strictObject({
  category: z.enum(HISTORY_CATEGORIES),
  name: z.string(),
  surface: z.string(),
  actor: z.string(),
  inputs: jsonObject,
  outcome: z.string(),
  at: time,
  took_ms: z.number().int().nonnegative(),
  expires_at: time,
});

export const history: ItemType<HistoryDraft> = {
  count: 'history',
  format: lineFormat(schema, schema.shape),
  async read(context, position) {
    const { items, next } = await readRuns(context, position);
    return { items: items.map(({ id: _, ...row }) => row), next };
  },
  reserved: 'it is a run',
  /** Applies the rules of a run that is recorded here, its expiry included. */
  async screen(context, run) {
    const { name, surface, actor, outcome, inputs } = run;
    const fields = { name, surface, actor, outcome };
    for (const [field, text] of Object.entries(fields)) assertShort(field, text);
    assertWithinLimits({ metadata: inputs });
    const { texts, masked } = await screenTexts(context, { ...fields, metadata: inputs });
    const { metadata, ...rest } = texts;
    const expiresAt = Math.min(run.expiresAt, context.now() + RUN_LIFETIME_MS);
    return { value: { ...run, ...rest, inputs: metadata, expiresAt }, masked };
  },
  importer({ context, options, report }) {
    let digests: Set<string> | null = null;
    return {
      batchSize: ITEMS_PER_WRITE,
      isSkipped: ({ expiresAt }) => expiresAt <= context.now(),
      async put(batch) {
        digests ??= await existingRuns(context);
        const existing = digests;
        const rows = batch.flatMap(({ value }) => (existing.has(runDigest(value)) ? [] : value));
        for (const row of rows) existing.add(runDigest(row));
        report.auxiliary.history += rows.length;
        if (rows.length > 0 && !options.dry_run)
          await context.store.records.commit(context.namespace, {
            items: historyChanges(rows, MAX_RUNS_PER_CATEGORY),
          });
      },
    };
  },
};

async function readRuns(
  { store, namespace, now }: EngineContext,
  position: Position,
): Promise<Batch<HistoryRow>> {
  const { part } = position;
  const category = HISTORY_CATEGORIES[part];
  if (category === undefined) return { items: [], next: null };
  const { items, next } = await readPage(
    (page) => historyRuns(store.records, namespace, { category, now: now(), order: 'oldest' }, page),
    ({ id }) => id,
    position,
  );
  return { items, next: next ?? { part: part + 1, after: 0 } };
}

async function existingRuns(context: EngineContext): Promise<Set<string>> {
  const digests = new Set<string>();
  for (let position: Position | null = { part: 0, after: 0 }; position !== null;) {
    const { items, next }: Batch<HistoryRow> = await readRuns(context, position);
    for (const row of items) digests.add(runDigest(row));
    position = next;
  }
  return digests;
}

/** Identifies a run by its content, because runs have no id that survives export. */
function runDigest({ category, name, surface, actor, inputs, outcome, at, tookMs }: HistoryDraft): string {
  return sha256(JSON.stringify([category, name, surface, actor, inputs, outcome, at, tookMs]));
}
