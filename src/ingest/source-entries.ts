import type { SourceDocument, SourceItem } from '../sources/source.ts';
import type { SourceEntry } from '../store/model.ts';
import type { Store } from '../store/store.ts';

const PAGE_SIZE = 1000;
/** Ends the stored revision of an unsettled document. */
const UNSETTLED = '?';

export function storedRevision({ revision, unsettled = false }: SourceDocument): string {
  return unsettled ? revision + UNSETTLED : revision;
}

/** Whether the stored document is that of the listing. An unsettled one may still get another meaning. */
export function compareRevision(
  { revision }: SourceItem,
  stored: SourceEntry | undefined,
): 'current' | 'unsettled' | 'changed' {
  if (stored?.revision === revision) return 'current';
  return stored?.revision === revision + UNSETTLED ? 'unsettled' : 'changed';
}

/** The stored entries of a source, in the order of their keys. */
export async function* storedEntries(
  records: Pick<Store['records'], 'sourceEntries'>,
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
  records: Pick<Store['records'], 'sourceEntries'>,
  namespace: string,
  source: string,
): Promise<Map<string, SourceEntry>> {
  const entries = new Map<string, SourceEntry>();
  for await (const entry of storedEntries(records, namespace, source)) entries.set(entry.key, entry);
  return entries;
}
