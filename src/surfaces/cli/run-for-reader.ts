import type { GetOutput } from '../../operations/records/get.ts';
import type { ListOutput } from '../../operations/records/list.ts';
import { citationPrefix, mergeResults, splitCitation } from '../../operations/records/merge-results.ts';
import type { SearchInput, SearchOutput } from '../../operations/records/search.ts';
import type { StatusOutput } from '../../operations/health/status.ts';
import type { Operation, OperationContext } from '../../operations/operation.ts';
import { runOperation } from '../../operations/run.ts';
import type { HostReader } from '../shared/host-reader.ts';

/** Runs an operation in one namespace. */
type RunIn = (namespace: string, input: unknown) => Promise<unknown>;

/**
 * Runs an operation for an agent that may read several namespaces. Those that search, list, read or count records have all of them in
 * their output; all others concern the agent's own namespace alone.
 * @param context of the agent's own namespace
 * @throws the errors of the operation
 */
export async function runForReader(
  operation: Operation,
  context: OperationContext,
  input: unknown,
  { namespace: own, shared }: HostReader,
): Promise<unknown> {
  const runIn: RunIn = (namespace, given) =>
    runOperation(operation, namespace === own ? context : inNamespace(context, namespace), given);
  const all = [own, ...shared];
  switch (operation.name) {
    case 'search':
      return searchAll(runIn, all, input as SearchInput, (await context.loadConfig()).values.search);
    case 'list':
      return listAll(runIn, all, input as ListInput);
    case 'get': {
      const { citation: asked } = input as { readonly citation: string };
      const { namespace, citation } = splitCitation(asked, own, shared);
      return { ...((await runIn(namespace, { citation })) as GetOutput), citation: asked };
    }
    case 'status': {
      const [first, ...others] = await Promise.all(all.map((each) => runIn(each, input)));
      return { ...(first as StatusOutput), shared: others };
    }
    default:
      return runIn(own, input);
  }
}

/** The same call in another namespace, whose vaults are those of the settings. */
function inNamespace({ vaults: _, ...context }: OperationContext, namespace: string): OperationContext {
  return {
    ...context,
    loci: async (options) => {
      const loci = await context.loci(options);
      return loci.as({ ...loci.caller, namespace });
    },
  };
}

async function searchAll(
  runIn: RunIn,
  all: readonly string[],
  input: SearchInput,
  configured: { readonly limit: number; readonly related: number },
): Promise<SearchOutput> {
  const own = all[0] ?? '';
  const outputs = await Promise.all(
    all.map(async (namespace) => {
      const { results, related, ...rest } = (await runIn(namespace, input)) as SearchOutput;
      return { namespace, results, related, rest };
    }),
  );
  const [{ rest }] = outputs as [(typeof outputs)[number]];
  const results = mergeResults(outputs).slice(0, input.limit ?? configured.limit);
  const related = outputs
    .flatMap(({ namespace, related: found }) => found.map((result) => ({ namespace, result })))
    .slice(0, input.related ?? configured.related);
  const shown = <Result extends { readonly citation: string }>(
    { namespace, result }: { readonly namespace: string; readonly result: Result },
    at: number,
  ) => ({ ...result, rank: at + 1, citation: citationPrefix(namespace, own) + result.citation });
  const rests = outputs.map((each) => each.rest);
  return {
    ...rest,
    results: results.map(shown),
    related: related.map((each, at) => shown(each, results.length + at)),
    corrections: withoutRepetition(
      rests.flatMap(({ corrections }) => corrections),
      ({ word }) => word,
    ),
    missing: withoutRepetition(
      rests.flatMap(({ missing }) => missing),
      ({ signal, why }) => `${signal} ${why}`,
    ),
    notices: [...new Set(rests.flatMap(({ notices }) => notices))],
    ...reasons(results.length === 0, rests),
    took_ms: Math.max(...rests.map(({ took_ms }) => took_ms)),
  };
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

function unmatchedEverywhere(lists: readonly SearchOutput['unmatched'][]): SearchOutput['unmatched'] {
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

interface ListInput extends Readonly<Record<string, unknown>> {
  readonly limit?: number;
  readonly after?: number;
}

/** A page that begins in a later namespace begins after this times the index of the namespace; ids of records are smaller. */
const PAGE_STRIDE = 2 ** 40;

/** The records of one namespace after the other, the agent's own first. */
async function listAll(
  runIn: RunIn,
  all: readonly string[],
  { after, ...input }: ListInput,
): Promise<ListOutput> {
  const own = all[0] ?? '';
  const startIn = after === undefined ? 0 : Math.floor(after / PAGE_STRIDE);
  const startAfter = after === undefined ? 0 : after % PAGE_STRIDE;
  const outputs: ListOutput[] = [];
  const records: ListOutput['records'] = [];
  let next: number | null = null;
  for (const [at, namespace] of all.entries()) {
    const left: number = (input.limit ?? DEFAULT_LIMIT) - records.length;
    const isOnPage = at >= startIn && left > 0 && next === null;
    const output = (await runIn(namespace, {
      ...input,
      limit: isOnPage ? left : 1,
      ...(at === startIn && startAfter > 0 && { after: startAfter }),
    })) as ListOutput;
    outputs.push(output);
    if (isOnPage) {
      const prefix = citationPrefix(namespace, own);
      records.push(...output.records.map((each) => ({ ...each, citation: prefix + each.citation })));
      if (output.next !== null) next = at * PAGE_STRIDE + output.next;
    } else if (at > startIn && next === null && output.total > 0) next = at * PAGE_STRIDE;
  }
  return {
    records,
    total: outputs.reduce((sum, { total }) => sum + total, 0),
    next,
    unmatched: unmatchedEverywhere(outputs.map(({ unmatched }) => unmatched)),
  };
}

/** That of the operation. */
const DEFAULT_LIMIT = 20;
