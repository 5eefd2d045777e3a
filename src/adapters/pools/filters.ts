import type { Json, Metadata } from '../../core/types.ts';

/** Values by property, as `PoolQuery` has them. */
export type Filters = Readonly<Record<string, readonly string[]>>;

/** Whether the front matter of a note has one of the values of each property. A list has each of its entries. */
export function matchesFilters(frontMatter: Metadata, filters: Filters): boolean {
  return Object.entries(filters).every(([property, wanted]) => {
    const value: Json | undefined = Object.hasOwn(frontMatter, property) ? frontMatter[property] : undefined;
    const values = Array.isArray(value) ? value : [value];
    return values.some((each) => isScalar(each) && wanted.includes(String(each)));
  });
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
