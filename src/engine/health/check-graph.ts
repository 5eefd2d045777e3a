import { isDeepStrictEqual } from 'node:util';
import { formatCount } from '../../core/text/format-count.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { buildRecords, isTextCurrent } from '../../graph/build/derive.ts';
import type { EdgeDraft, NodeDraft, RecordGraph } from '../../store/graph-model.ts';
import type { EngineContext } from '../context.ts';
import { recordName } from '../vaults/index-vaults.ts';
import type { Finding } from './check.ts';

const PAGE_SIZE = 64;
const MAX_NAMED = 5;

/**
 * Derives the nodes and edges of every record again, and compares them with those in the store. Edges between similar texts are not
 * compared: deriving them takes longer than everything else.
 * @throws LociError `aborted`
 */
export async function checkGraph(context: EngineContext, options: ProgressOptions): Promise<Finding> {
  const { store, namespace, config, now, thread } = context;
  const { types, enabled } = config.graph;
  if (!enabled) return { result: 'ok', detail: 'switched off' };
  const state = await store.graph.state(namespace);
  // A write in a process that ends at once leaves the derivation to the next one, so that this is no fault.
  if (state.lastChange > 0 && !isTextCurrent(state, types))
    return {
      result: 'ok',
      detail: 'the last changes are not derived yet; `loci index` does it, and so does a server',
    };
  const wrong: string[] = [];
  let count = 0;
  for (let after: number | null = null; ;) {
    assertNotAborted(options);
    const page = { after, limit: PAGE_SIZE };
    const records = await store.records.list(namespace, { filter: { now: now() }, order: 'oldest' }, page);
    const last = records.at(-1);
    if (last === undefined) break;
    const ids = records.map(({ id }) => id);
    const built = await buildRecords({ store, namespace, thread, types, now: now(), ...options }, ids);
    const stored = await store.graph.contributions(namespace, 'text', ids);
    for (const record of records)
      if (!isSameGraph(built.get(record.id), stored.get(record.id))) wrong.push(recordName(record));
    count += records.length;
    options.onProgress?.({ stage: 'checking', subject: 'graph', done: count, total: 0 });
    after = last.id;
  }
  if (wrong.length === 0)
    return { result: 'ok', detail: `${formatCount(count, 'record')}, all edges correct` };
  const named = `${wrong.slice(0, MAX_NAMED).join(', ')}${wrong.length > MAX_NAMED ? ' …' : ''}`;
  return {
    result: 'failed',
    detail: `nodes or edges differ in ${formatCount(wrong.length, 'record')}: ${named}`,
  };
}

function isSameGraph(built: RecordGraph | undefined, stored: RecordGraph | undefined): boolean {
  if (built === undefined || stored === undefined) return built === stored;
  return (
    isDeepStrictEqual(sorted(built.nodes, nodeKey), sorted(stored.nodes, nodeKey)) &&
    isDeepStrictEqual(sorted(built.edges, edgeKey), sorted(stored.edges, edgeKey))
  );
}

function sorted<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function nodeKey({ key }: NodeDraft): string {
  return key;
}

function edgeKey({ src, type, dst }: EdgeDraft): string {
  return `${src} ${type} ${dst}`;
}
