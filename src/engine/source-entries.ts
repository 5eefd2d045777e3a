import type { SourceEntry } from '../store/store.ts';
import type { EngineContext } from './context.ts';

const PAGE = 1000;

/** What the store holds of a source, by key. */
export async function* entriesOf(
  { store, namespace }: EngineContext,
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
