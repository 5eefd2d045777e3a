import { searchOperation } from '../../src/operations/records/search.ts';
import { timeEach } from '../timing.ts';
import type { NoteQuery } from './notes.ts';
import type { Memory, Variant } from './variants.ts';

/** What a search returned. */
export interface Asked {
  readonly ms: number;
  /** The paths of the notes below `memory/`, best first. */
  readonly paths: readonly string[];
  /** Characters that the agent gets. */
  readonly length: number;
}

const WARM_UP = 10;
/** As many results as `memory_search` of both memories returns by default. */
const RESULTS = 6;
const RELATED = 3;

/** Asks all gateways each query, one after another, so that other load on the machine affects all of them. */
export async function askGateways(
  variants: readonly Variant[],
  queries: readonly NoteQuery[],
): Promise<ReadonlyMap<Memory, readonly Asked[]>> {
  const asked = new Map(variants.map(({ memory }): [Memory, Asked[]] => [memory, []]));
  // The first calls load and compile code.
  for (const query of queries.slice(0, WARM_UP))
    for (const variant of variants) await askGateway(variant, query.text);
  for (const query of queries)
    for (const variant of variants) asked.get(variant.memory)!.push(await askGateway(variant, query.text));
  return asked;
}

async function askGateway({ gateway, memory }: Variant, query: string): Promise<Asked> {
  const start = performance.now();
  const { status, value } = await gateway.invoke('memory_search', { query });
  const ms = performance.now() - start;
  if (status !== 200 || value['unavailable'] === true)
    throw new Error(`the gateway with ${memory} did not search: ${JSON.stringify(value)}`);
  const results = value['results'] as readonly { readonly path: string }[];
  return {
    ms,
    paths: results.map(({ path }) => belowMemory(path)),
    length: JSON.stringify(value).length,
  };
}

/** The time of a call that the host refuses because it has no such tool: what it takes itself, in milliseconds. */
export async function askHost({ gateway }: Variant, calls: number): Promise<readonly number[]> {
  const call = (): Promise<unknown> => gateway.invoke('memory_search', { query: 'oven' });
  for (let i = 0; i < WARM_UP; i++) await call();
  return timeEach(Array.from({ length: calls }), call);
}

/** Asks the engine directly, in this process, in the store of a gateway. */
export async function askEngine(variant: Variant, queries: readonly NoteQuery[]): Promise<readonly Asked[]> {
  const context = variant.openEngine();
  try {
    const ask = async ({ text }: NoteQuery): Promise<Asked> => {
      const start = performance.now();
      const output = await searchOperation.run(context, { query: text, limit: RESULTS, related: RELATED });
      const ms = performance.now() - start;
      const paths = output.results.map(({ citation }) => belowMemory(citation.replace(/#L.*$/, '')));
      return { ms, paths, length: JSON.stringify(output).length };
    };
    for (const query of queries.slice(0, WARM_UP)) await ask(query);
    const asked: Asked[] = [];
    for (const query of queries) asked.push(await ask(query));
    return asked;
  } finally {
    await context.close();
  }
}

function belowMemory(path: string): string {
  return path.replace(/^.*?(?:^|\/)memory\//, '');
}
