import type { GetOutput } from '../../engine/records/get.ts';
import type { ListOutput } from '../../engine/records/list.ts';
import {
  citationPrefix,
  mergeSearches,
  searchInAll,
  splitCitation,
  unmatchedEverywhere,
} from '../shared/several-namespaces.ts';
import type { SearchInput, SearchOutput } from '../../engine/records/results/search-fields.ts';
import type { StatusOutput } from '../../engine/health/status.ts';
import type { Operation, OperationContext } from '../../operations/operation.ts';
import { runOperation } from '../../operations/run.ts';
import type { HostReader } from '../shared/host-reader.ts';

/** Runs an operation in one namespace. */
type RunIn = (namespace: string, input: unknown) => Promise<unknown>;

/**
 * Runs an operation for an agent that may read several namespaces. Operations that search, list, read or count records have the
 * records of all of them in their output. All others use the agent's own namespace alone.
 * @param context of the agent's own namespace
 * @throws the errors of the operation
 */
export async function runForReader(
  operation: Operation,
  context: OperationContext,
  input: unknown,
  { namespace: own, shared }: HostReader,
): Promise<unknown> {
  const contextOf = (namespace: string): OperationContext =>
    namespace === own ? context : inNamespace(context, namespace);
  const runIn: RunIn = (namespace, given) => runOperation(operation, contextOf(namespace), given);
  const all = [own, ...shared];
  switch (operation.name) {
    case 'search':
      return searchAll(contextOf, all, input as SearchInput, (await context.loadConfig()).values.search);
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
  contextOf: (namespace: string) => OperationContext,
  all: readonly string[],
  input: SearchInput,
  configured: { readonly limit: number; readonly related: number },
): Promise<SearchOutput> {
  const { limit = configured.limit, related = configured.related } = input;
  const outputs = await searchInAll(all, contextOf, input);
  return mergeSearches(outputs, { own: all[0] ?? '', limit, related });
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

/** The default of the operation `list`. */
const DEFAULT_LIMIT = 20;
