import type { SearchResultOutput } from './search-result.ts';

/** A result with the namespace that it is from. */
export interface NamespaceResult<Result> {
  readonly namespace: string;
  readonly result: Result;
}

/**
 * The results of several searches for the same query, one in each namespace, best first. Scores are probabilities, so that they
 * compare between namespaces. Within a namespace the order of the engine stays, in which a later result may have a higher score: a
 * result counts at least as much as those after it.
 */
export function mergeResults<Result extends Pick<SearchResultOutput, 'score'>>(
  lists: readonly { readonly namespace: string; readonly results: readonly Result[] }[],
): NamespaceResult<Result>[] {
  const merged = lists.flatMap(({ namespace, results }) => {
    let best = 0;
    return results
      .toReversed()
      .map((result) => ({ namespace, result, best: (best = Math.max(best, result.score)) }))
      .reverse();
  });
  return merged.sort((a, b) => b.best - a.best).map(({ namespace, result }) => ({ namespace, result }));
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
