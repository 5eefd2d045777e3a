import type { Timestamp } from '../../core/types.ts';
import { changedState, type SourceState } from '../source-states.ts';
import { wellFormed } from '../well-formed.ts';
import { byCodePoint, type Namespace } from './state.ts';

export function sourceStates({ sources }: Namespace): Map<string, SourceState> {
  const inOrder = [...sources].sort(([a], [b]) => byCodePoint(a, b));
  return new Map(structuredClone(inOrder));
}

export function writeSourceState({ sources }: Namespace, source: string, change: Partial<SourceState>): void {
  const name = wellFormed(source);
  sources.set(name, structuredClone(changedState(sources.get(name), change)));
}

export function addHits(namespace: Namespace, hits: ReadonlyMap<string, number>, at: Timestamp): void {
  for (const [source, count] of hits) {
    const state = namespace.sources.get(wellFormed(source));
    if (state !== undefined) writeSourceState(namespace, source, { hits: state.hits + count, hitAt: at });
  }
}
