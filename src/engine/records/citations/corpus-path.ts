import type { LociRecord } from '../../../core/types.ts';
import { HISTORY_CATEGORIES, type HistoryRow } from '../../../store/admin-model.ts';
import { HistoryLog } from '../../audit/history-log.ts';
import type { EngineContext } from '../../context.ts';
import { historyRuns } from '../../../store/items/kinds.ts';

const FACT_PATH = /^facts\/([^/]+)\/(.+)$/s;
const RUN_PATH = /^(\w+)\/(\d{1,15})$/;

/**
 * `facts/kitchen/tea`. Percent signs and `#` are encoded, and slashes in the category, so that no two facts have the same path,
 * and no end of a key looks like the lines of a citation.
 */
export function factPath({ category, key }: Pick<LociRecord, 'category' | 'key'>): string {
  return `facts/${encode(category).replaceAll('/', '%2F')}/${encode(key ?? '')}`;
}

/** `pack_history/12`. */
export function runPath({ category, id }: Pick<HistoryRow, 'category' | 'id'>): string {
  return `${category}/${String(id)}`;
}

/** The fact with this path of the corpus. */
export async function factAt(
  { store, namespace, now }: EngineContext,
  path: string,
): Promise<LociRecord | null> {
  const [, category, key] = FACT_PATH.exec(path) ?? [];
  if (category === undefined || key === undefined) return null;
  const filter = {
    now: now(),
    origins: ['fact' as const],
    categories: [decode(category)],
    key: decode(key),
  };
  const [fact] = await store.records.list(namespace, { filter }, { after: null, limit: 1 });
  return fact ?? null;
}

/** The run with this path of the corpus. */
export async function runAt(context: EngineContext, path: string): Promise<HistoryRow | null> {
  const { store, namespace, now } = context;
  const [, name, digits] = RUN_PATH.exec(path) ?? [];
  const category = HISTORY_CATEGORIES.find((each) => each === name);
  if (category === undefined) return null;
  await context.shared(HistoryLog).flush();
  const id = Number(digits);
  const selector = { category, now: now() };
  const [run] = await historyRuns(store.records, namespace, selector, { after: id + 1, limit: 1 });
  return run?.id === id ? run : null;
}

function encode(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('#', '%23');
}

function decode(text: string): string {
  return text.replace(/%(2F|23|25)/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
