import type { FacetField, FacetValue } from '../../../store/model.ts';
import type { SearchFilter } from '../../../store/search-model.ts';
import type { EngineContext } from '../../context.ts';
import { expire } from '../../shared/retention.ts';
import { sourceStates } from '../../../store/items/kinds.ts';
import {
  type Audience,
  excludeSources,
  hiddenSources,
  sourcesOfNamespace,
} from '../../reading/configured/source-policies.ts';

/** The values that records which the audience sees have in a field, the most frequent first. */
export async function facet(
  context: EngineContext,
  field: FacetField,
  filter: Omit<SearchFilter, 'now'> = {},
  audience: Audience = 'user',
): Promise<FacetValue[]> {
  await expire(context);
  const { vaults, sources } = await sourcesOfNamespace(context);
  const visible = excludeSources(filter, hiddenSources(vaults, sources, audience));
  return context.store.records.facet(context.namespace, field, { ...visible, now: context.now() });
}

/** The names of the vaults and sources that were read at least once, even if they were empty. */
export async function readSources({ store, namespace }: EngineContext): Promise<Set<string>> {
  const states = await sourceStates(store.records, namespace);
  return new Set([...states].filter(([, { readAt }]) => readAt !== null).map(([name]) => name));
}
