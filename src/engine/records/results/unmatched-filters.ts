import { z } from 'zod';
import { closestWord } from '../../../core/text/closest-word.ts';
import type { FacetField } from '../../../store/model.ts';
import type { SearchFilter } from '../../../store/search-model.ts';
import type { EngineContext } from '../../context.ts';
import { audienceOf } from '../../reading/configured/source-policies.ts';
import { facet } from './facet.ts';

const FACET_NAMES = ['tag', 'source', 'project', 'category', 'record_type', 'origin'] as const;

export const unmatchedFilter = z.strictObject({
  filter: z.enum([...FACET_NAMES, 'path']),
  value: z.string(),
  known: z
    .array(z.string())
    .describe('Values that records have: the most similar first, then the most frequent; none for a path.'),
});

/** A value of a filter that no record has. */
type UnmatchedFilter = z.infer<typeof unmatchedFilter>;
type Filters = Omit<SearchFilter, 'now'>;
type FilterName = (typeof FACET_NAMES)[number];

const FIELDS: Readonly<Record<FilterName, FacetField>> = {
  tag: 'tag',
  source: 'source',
  project: 'project',
  category: 'category',
  record_type: 'recordType',
  origin: 'origin',
};

const MAX_KNOWN_VALUES = 10;

/** The values of the request's filters that no record has. Reads the fields of all records. */
export async function unmatchedFilters(loci: EngineContext, request: Filters): Promise<UnmatchedFilter[]> {
  const unmatched: UnmatchedFilter[] = [];
  const audience = audienceOf(loci.caller, request);
  for (const filter of FACET_NAMES) {
    const requested = valuesOf(filter, request);
    if (requested.length === 0) continue;
    // An agent may name any source.
    const seenBy = filter === 'source' ? 'user' : audience;
    const existing = (await facet(loci, FIELDS[filter], {}, seenBy)).map(({ value }) => value);
    for (const value of requested) {
      if (existing.some((each) => isMatch(filter, value, each))) continue;
      const similar = closestWord(value, existing);
      const others = existing.filter((each) => each !== similar);
      const known = [...(similar === undefined ? [] : [similar]), ...others].slice(0, MAX_KNOWN_VALUES);
      unmatched.push({ filter, value, known });
    }
  }
  for (const path of request.paths ?? [])
    if ((await facet(loci, 'source', { paths: [path] }, audience)).length === 0)
      // The operator `path:` asks for what stands between the wildcards.
      unmatched.push({ filter: 'path', value: path.replace(/^\*+([^*]+)\*+$/, '$1'), known: [] });
  return unmatched;
}

function valuesOf(filter: FilterName, request: Filters): readonly string[] {
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

function isMatch(filter: FilterName, requested: string, existing: string): boolean {
  if (filter !== 'tag') return requested === existing;
  return `${existing.toLowerCase()}/`.startsWith(`${requested.toLowerCase()}/`);
}
