import type { LociRecord } from '../../core/types.ts';
import type { SearchFilter } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import {
  audienceOf,
  excludeSources,
  hiddenSources,
  sourcesOfNamespace,
} from '../reading/configured/source-policies.ts';
import { wholeCitations } from '../shared/citations.ts';
import { recordAge } from './record-age.ts';

export interface ListRequest extends Pick<SearchFilter, 'origins' | 'sources' | 'tags'> {
  readonly limit: number;
  /** `next` of the previous page. */
  readonly after?: number;
}

export interface ListPage {
  readonly records: readonly ListedRecord[];
  /** How many records match, on all pages. */
  readonly total: number;
  /** The id after which the next page begins; `null` on the last page. */
  readonly next: number | null;
}

interface ListedRecord {
  readonly record: LociRecord;
  /** Accepted by `get`. */
  readonly citation: string;
  readonly age: string;
}

/**
 * The caller's records, the last stored first. Disabled vaults and sources are left out. For an agent that names no sources,
 * those are left out too that the settings keep out of its context.
 */
export async function listRecords(context: EngineContext, request: ListRequest): Promise<ListPage> {
  await expire(context);
  const { store, namespace, caller } = context;
  const { limit, after = null, ...requested } = request;
  const now = context.now();
  const { vaults, sources } = await sourcesOfNamespace(context);
  const filter = {
    ...excludeSources(requested, hiddenSources(vaults, sources, audienceOf(caller, requested))),
    now,
  };
  const records: LociRecord[] = [];
  let page: LociRecord[] = [];
  // Pages of long contents are shorter than their limit. One record more tells whether there is a next page.
  do {
    page = await store.records.list(
      namespace,
      { filter },
      { after: records.at(-1)?.id ?? after, limit: limit + 1 - records.length },
    );
    records.push(...page);
  } while (page.length > 0 && records.length <= limit);
  const listed = records.slice(0, limit);
  const [citations, total] = await Promise.all([
    wholeCitations(context, listed),
    store.records.count(namespace, filter),
  ]);
  return {
    records: listed.map((record, i) => ({
      record,
      citation: citations[i]!,
      age: recordAge(record, now),
    })),
    total,
    next: records.length > limit ? listed.at(-1)!.id : null,
  };
}
