import { nameKey } from '../../core/names/name.ts';
import type { ConceptChange } from '../../store/concept-model.ts';

/** The names and notes by which changes refer to concepts. */
export function referencesOf(changes: readonly ConceptChange[]): string[] {
  const references = changes.flatMap((change) => {
    switch (change.kind) {
      case 'merge':
        return [change.into, ...change.from];
      case 'split':
        return [change.from, ...change.names];
      case 'rename':
        return [change.concept, nameKey(change.label)];
      case 'undo':
        return [];
    }
  });
  return [...new Set(references)];
}
