import { isDeepStrictEqual } from 'node:util';
import type { ExportedEdge, ExportedGraph, ExportedNode } from './export-schema.ts';
import { compare } from './walk.ts';

interface Changed<Item> {
  readonly before: Item;
  readonly after: Item;
  /** The names of the fields that differ, in the order of the schema. */
  readonly fields: readonly string[];
}

interface Difference<Item> {
  readonly added: readonly Item[];
  readonly removed: readonly Item[];
  readonly changed: readonly Changed<Item>[];
}

/** What one export has and another has not, or has differently. */
export interface GraphDifference {
  readonly nodes: Difference<ExportedNode>;
  readonly edges: Difference<ExportedEdge>;
}

/** Compares two exports: nodes by id, edges by their nodes and type. All lists are in the order of exports. */
export function diffGraphs(before: ExportedGraph, after: ExportedGraph): GraphDifference {
  return {
    nodes: differenceOf(before.nodes, after.nodes, ({ id }) => id),
    edges: differenceOf(before.edges, after.edges, ({ src, type, dst }) => `${src} ${type} ${dst}`),
  };
}

function differenceOf<Item extends object>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): Difference<Item> {
  const old = byKey(before, keyOf);
  const current = byKey(after, keyOf);
  const changed = [...current].flatMap(([key, item]) => {
    const previous = old.get(key);
    if (previous === undefined) return [];
    const fields = differingFields(previous, item);
    return fields.length === 0 ? [] : [{ before: previous, after: item, fields }];
  });
  return {
    added: [...current].flatMap(([key, item]) => (old.has(key) ? [] : [item])),
    removed: [...old].flatMap(([key, item]) => (current.has(key) ? [] : [item])),
    changed,
  };
}

function byKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item> {
  const entries = items.map((item): [string, Item] => [keyOf(item), item]);
  return new Map(entries.sort(([a], [b]) => compare(a, b)));
}

function differingFields(before: object, after: object): string[] {
  const [old, current] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...current.keys()])].filter(
    (field) => !isDeepStrictEqual(old.get(field), current.get(field)),
  );
}
