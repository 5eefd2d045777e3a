import type { Timestamp } from '../../core/types.ts';
import type { ItemChange, ItemSelector } from '../item-model.ts';
import { unlessDamaged } from '../sql/stored-json.ts';
import type { StoreRecords } from '../store.ts';
import { bodyOf } from './kinds.ts';

/** Where the nodes of a graph are drawn. Derived: `resetDerived` removes it. */
export interface StoredLayout {
  /** SHA-256 of the nodes and edges, and of the rules. */
  readonly graph: string;
  readonly ids: readonly string[];
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** The last layout of what an audience sees; `null` if there is none, or if it is damaged. */
export async function storedLayout(
  items: Pick<StoreRecords, 'items'>,
  namespace: string,
  audience: string,
): Promise<StoredLayout | null> {
  const selector: ItemSelector = { kind: 'graph_layout', key: audience, by: 'key' };
  const [item] = await items.items(namespace, selector, { after: null, limit: 1 });
  if (item === undefined) return null;
  const body = unlessDamaged(() => bodyOf(item) as Omit<StoredLayout, 'graph'>);
  return body === null ? null : { graph: item.ref!, ...body };
}

const MAX_LAYOUTS = 8;

/** Replaces the layout of what the audience sees. The layouts of few audiences remain. */
export function layoutChanges(audience: string, at: Timestamp, layout: StoredLayout): ItemChange[] {
  const { graph, ids, x, y } = layout;
  const of = 'graph_layout';
  return [
    { put: { kind: of, key: audience, at, ref: graph, body: { ids: [...ids], x: [...x], y: [...y] } } },
    { of, keepNewest: MAX_LAYOUTS, by: 'at' },
  ];
}
