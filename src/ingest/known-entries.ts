import type { SourceEntry, Store } from '../store/store.ts';

const PAGE = 1000;

/** What the store holds of a source, in the order of its keys. */
export async function* knownEntries(
  store: Pick<Store, 'sourceEntries'>,
  namespace: string,
  source: string,
): AsyncGenerator<SourceEntry> {
  let after: string | null = null;
  for (;;) {
    const page: SourceEntry[] = await store.sourceEntries(namespace, source, { after, limit: PAGE });
    yield* page;
    after = page.at(-1)?.key ?? null;
    if (page.length < PAGE) return;
  }
}

/** The same by key. */
export async function knownByKey(
  store: Pick<Store, 'sourceEntries'>,
  namespace: string,
  source: string,
): Promise<Map<string, SourceEntry>> {
  const known = new Map<string, SourceEntry>();
  for await (const entry of knownEntries(store, namespace, source)) known.set(entry.key, entry);
  return known;
}
