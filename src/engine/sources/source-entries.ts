import { knownEntries } from '../../ingest/known-entries.ts';
import type { SourceEntry } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';

/** What the store holds of a source, by key. */
export function entriesOf({ store, namespace }: EngineContext, source: string): AsyncGenerator<SourceEntry> {
  return knownEntries(store, namespace, source);
}
