import { dayText } from '../../core/time/whole-day.ts';
import type {
  SearchInput,
  SearchResultOutput,
  SearchOutput,
} from '../../engine/records/results/search-fields.ts';
import { countStrong } from '../../engine/records/results/search-messages.ts';
import { movedResult } from '../../engine/records/results/search-result.ts';
import { searchWithOutcome } from '../../engine/records/search.ts';
import { laterFirst, type FoundHit } from '../../search/newest-first.ts';
import type { SearchOutcome } from '../../search/search.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { runOperation } from '../../operations/run.ts';
import { recordOperations } from '../../operations/nouns/records.ts';

/** The output of an operation in one namespace. */
export interface NamespaceOutput<Output> {
  readonly namespace: string;
  readonly output: Output;
}

/** Runs an operation in several namespaces at once. */
export function runInAll<Output>(
  namespaces: readonly string[],
  run: (namespace: string) => Promise<Output>,
): Promise<NamespaceOutput<Output>[]> {
  return Promise.all(namespaces.map(async (namespace) => ({ namespace, output: await run(namespace) })));
}

/** The output of a search in one namespace, and its hits. */
export interface FoundOutput extends NamespaceOutput<SearchOutput> {
  /** Results are compared with those of other namespaces as far as their hits are given. */
  readonly outcome?: SearchOutcome;
}

/** Searches several namespaces at once. @throws LociError as the operation `search` */
export function searchInAll(
  namespaces: readonly string[],
  contextOf: (namespace: string) => OperationContext,
  input: SearchInput,
): Promise<FoundOutput[]> {
  return Promise.all(
    namespaces.map(async (namespace) => {
      let outcome: SearchOutcome | undefined;
      const run: typeof recordOperations.search.run = async (context, given) => {
        const found = await searchWithOutcome(await context.loci(), given, context);
        outcome = found.outcome;
        return found.output;
      };
      const output = await runOperation({ ...recordOperations.search, run }, contextOf(namespace), input);
      return { namespace, output, ...(outcome !== undefined && { outcome }) };
    }),
  );
}

interface MergeOptions {
  /** The namespace whose citations have no prefix. */
  readonly own: string;
  /** The most results, and the most related documents. */
  readonly limit: number;
  readonly related: number;
  /** The citation of a result in its namespace; as it is unless given. */
  readonly cite?: (result: SearchResultOutput) => string;
}

/**
 * One output for the outputs of a search in several namespaces. Results are best first: scores are probabilities, so that they compare
 * between namespaces. What says the same at a later time stands first here too.
 */
export async function mergeSearches(
  outputs: readonly FoundOutput[],
  { own, limit, related: relatedLimit, cite = ({ citation }) => citation }: MergeOptions,
): Promise<SearchOutput> {
  const all = outputs.map(({ namespace, output, outcome }) => {
    const prefix = citationPrefix(namespace, own);
    const withPrefix = <Cited extends { readonly citation: string }>(each: Cited): Cited => ({
      ...each,
      citation: prefix + each.citation,
    });
    const cited = <Result extends SearchResultOutput>(result: Result): Result => ({
      ...result,
      citation: prefix + cite(result),
      ...(result.later && { later: withPrefix(result.later) }),
      ...(result.also && { also: result.also.map(withPrefix) }),
      ...(result.second && { second: withPrefix(result.second) }),
    });
    const hits = new Map(outcome?.hits.map((hit) => [hit.passage.record.id, hit]));
    const merged = output.results.map((result): MergedResult => {
      const hit = hits.get(result.id);
      const found = hit === undefined ? null : { hit, search: outcome!, result: cited(result) };
      return { result: cited(result), found };
    });
    return { ...output, merged, related: output.related.map(cited) };
  });
  const results = (await newestOfAll(mergeResults(all))).slice(0, limit);
  const related = all.flatMap((output) => output.related).slice(0, relatedLimit);
  const [{ merged: _merged, related: _related, ...first }] = all as [(typeof all)[number]];
  return {
    ...first,
    results: results.map((result, at) => ({ ...result, rank: at + 1 })),
    strong: countStrong(results),
    related: related.map((result, at) => ({ ...result, rank: results.length + at + 1 })),
    corrections: withoutRepetition(
      all.flatMap(({ corrections }) => corrections),
      ({ word }) => word,
    ),
    missing: withoutRepetition(
      all.flatMap(({ missing }) => missing),
      ({ signal, why }) => `${signal} ${why}`,
    ),
    notices: [...new Set(all.flatMap(({ notices }) => notices))],
    ...reasons(results.length === 0, all),
    took_ms: Math.max(...all.map(({ took_ms }) => took_ms)),
  };
}

/**
 * Within a namespace the order of the engine stays, in which a later result may have a higher score: a result counts at least as much as
 * those after it.
 */
function mergeResults(outputs: readonly { readonly merged: readonly MergedResult[] }[]): MergedResult[] {
  const all = outputs.flatMap(({ merged }) => {
    let best = 0;
    return merged
      .toReversed()
      .map((each) => ({ each, best: (best = Math.max(best, each.result.score)) }))
      .reverse();
  });
  return all.sort((a, b) => b.best - a.best).map(({ each }) => each);
}

/** A result with the citation that it has among those of all namespaces, and its hit; `null` if it is not known. */
interface MergedResult {
  readonly result: SearchResultOutput;
  readonly found: (FoundHit & { readonly result: SearchResultOutput }) | null;
}

/** The rule of the engine for results that say the same, applied to the first results of all namespaces. */
async function newestOfAll(merged: readonly MergedResult[]): Promise<SearchResultOutput[]> {
  const found = merged.flatMap((each) => each.found ?? []);
  const isOfSeveral = new Set(found.map(({ search }) => search)).size > 1;
  const placed = isOfSeveral && found.length === merged.length ? await laterFirst(found) : null;
  if (placed === null) return merged.map(({ result }) => result);
  return placed.map(({ found: { result, hit: before }, hit, later }) => ({
    ...(hit === before ? result : movedResult(result, hit)),
    ...(later !== undefined && {
      later: { id: later.found.result.id, citation: later.found.result.citation, date: dayText(later.time) },
    }),
  }));
}

/** Why nothing was found. A filter is without a match only where that is so in every namespace. */
function reasons(
  isEmpty: boolean,
  outputs: readonly Pick<SearchOutput, 'unmatched' | 'nothing'>[],
): Pick<SearchOutput, 'unmatched' | 'nothing'> {
  const [first] = outputs;
  if (!isEmpty || first === undefined) return { unmatched: [], nothing: null };
  const nothings = outputs.flatMap(({ nothing }) => (nothing === null ? [] : [nothing]));
  const [own] = nothings;
  const best = nothings
    .flatMap(({ hidden }) => (hidden === null ? [] : [hidden]))
    .toSorted((a, b) => b.best_score - a.best_score)[0];
  return {
    unmatched: unmatchedEverywhere(outputs.map(({ unmatched }) => unmatched)),
    nothing:
      own === undefined
        ? null
        : {
            ...own,
            empty: nothings.every(({ empty }) => empty),
            unread_vaults: nothings.flatMap(({ unread_vaults }) => unread_vaults),
            unmet_filters: own.unmet_filters.filter((filter) =>
              nothings.every(({ empty, unmet_filters }) => empty || unmet_filters.includes(filter)),
            ),
            hidden: best ?? null,
            hidden_of_sources: nothings.flatMap(({ hidden_of_sources }) => hidden_of_sources),
          },
  };
}

/** The values of filters that no record of any namespace has. */
export function unmatchedEverywhere(lists: readonly SearchOutput['unmatched'][]): SearchOutput['unmatched'] {
  const [first = [], ...others] = lists;
  return first.flatMap((each) => {
    const same = others.map((list) =>
      list.find(({ filter, value }) => filter === each.filter && value === each.value),
    );
    if (same.includes(undefined)) return [];
    return [
      { ...each, known: [...new Set([...each.known, ...same.flatMap((other) => other?.known ?? [])])] },
    ];
  });
}

function withoutRepetition<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** Citations of another namespace begin with its name, since both may have a `record/1`. */
export function citationPrefix(namespace: string, own: string): string {
  return namespace === own ? '' : `${namespace}:`;
}

/** The namespace that a citation of a merged result begins with, and the citation in that namespace. */
export function splitCitation(
  citation: string,
  own: string,
  shared: readonly string[],
): { readonly namespace: string; readonly citation: string } {
  // One namespace may begin with the name of another.
  const [namespace] = shared
    .filter((each) => citation.startsWith(`${each}:`))
    .toSorted((a, b) => b.length - a.length);
  return namespace === undefined
    ? { namespace: own, citation }
    : { namespace, citation: citation.slice(namespace.length + 1) };
}
