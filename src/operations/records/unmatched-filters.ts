import { nearest } from '../../core/text/nearest.ts';
import type { SearchRequest } from '../../engine/records/search.ts';
import type { Loci } from '../../engine/open.ts';

type FacetField = Parameters<Loci['facet']>[0];

/** A filter that hides every record there is. */
export interface UnmatchedFilter {
  readonly filter: FilterName;
  /** As it was asked. */
  readonly value: string;
  /** What there is instead: the nearest spelling first, then what most records have. */
  readonly known: string[];
}

export const FILTER_NAMES = ['tag', 'source', 'project', 'category', 'record_type', 'origin'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

const FIELDS: Readonly<Record<FilterName, FacetField>> = {
  tag: 'tag',
  source: 'source',
  project: 'project',
  category: 'category',
  record_type: 'recordType',
  origin: 'origin',
};

/** Named of what there is. */
const KNOWN = 10;

/** The values asked for that no record has. Reads every record's fields: for searches that found nothing. */
export async function unmatchedFilters(loci: Loci, request: SearchRequest): Promise<UnmatchedFilter[]> {
  const unmatched: UnmatchedFilter[] = [];
  for (const filter of FILTER_NAMES) {
    const asked = valuesAsked(filter, request);
    if (asked.length === 0) continue;
    const known = (await loci.facet(FIELDS[filter])).map(({ value }) => value);
    for (const value of asked) {
      if (known.some((each) => isMatch(filter, value, each))) continue;
      const meant = nearest(value, known);
      const others = known.filter((each) => each !== meant);
      unmatched.push({
        filter,
        value,
        known: [...(meant === undefined ? [] : [meant]), ...others].slice(0, KNOWN),
      });
    }
  }
  return unmatched;
}

function valuesAsked(filter: FilterName, request: SearchRequest): readonly string[] {
  const { tags, sources, project, categories, recordTypes, origins } = request;
  switch (filter) {
    case 'tag':
      return tags ?? [];
    case 'source':
      return sources ?? [];
    case 'project':
      return project === undefined ? [] : [project];
    case 'category':
      return categories ?? [];
    case 'record_type':
      return recordTypes ?? [];
    case 'origin':
      return origins ?? [];
  }
}

function isMatch(filter: FilterName, asked: string, held: string): boolean {
  if (filter !== 'tag') return asked === held;
  return `${held.toLowerCase()}/`.startsWith(`${asked.toLowerCase()}/`);
}
