import type { SourceEntry } from '../store/model.ts';
import type { StoreRecords } from '../store/store.ts';

const PAGE_SIZE = 1000;

/** The stored entries of a source, in the order of their keys. */
export async function* storedEntries(
  records: Pick<StoreRecords, 'sourceEntries'>,
  namespace: string,
  source: string,
): AsyncGenerator<SourceEntry> {
  let page: SourceEntry[] = [];
  do {
    const after = page.at(-1)?.key ?? null;
    page = await records.sourceEntries(namespace, source, { after, limit: PAGE_SIZE });
    yield* page;
  } while (page.length === PAGE_SIZE);
}

/** The stored entries of a source by key. */
export async function storedEntriesByKey(
  records: Pick<StoreRecords, 'sourceEntries'>,
  namespace: string,
  source: string,
): Promise<Map<string, SourceEntry>> {
  const entries = new Map<string, SourceEntry>();
  for await (const entry of storedEntries(records, namespace, source)) entries.set(entry.key, entry);
  return entries;
}
