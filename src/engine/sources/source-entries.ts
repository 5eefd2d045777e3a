import { storedEntries } from '../../ingest/source-entries.ts';
import type { SourceEntry } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';

/** What the store holds of a source, by key. */
export function entriesOf({ store, namespace }: EngineContext, source: string): AsyncGenerator<SourceEntry> {
  return storedEntries(store, namespace, source);
}
