import { isDeepStrictEqual } from 'node:util';
import { formatCount } from '../../core/text/format-count.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { LociRecord } from '../../core/types.ts';
import { buildRecords, isTextCurrent } from '../../graph/build/derive.ts';
import { recordOfTarget } from '../../graph/build/similar.ts';
import type { EdgeDraft, NodeDraft, RecordGraph } from '../../store/graph-model.ts';
import type { Store } from '../../store/store.ts';
import type { EngineContext } from '../context.ts';
import { recordName } from '../reading/index-vaults.ts';
import type { Finding } from './check.ts';
import { isConceptsCurrent, mentionsOfRecords } from '../../graph/concepts/derive-concepts.ts';
import { namesOfRecords } from '../../graph/concepts/record-names.ts';
import { MAX_MENTIONING_RECORDS, type RecordConcepts } from '../../store/concept-model.ts';

const PAGE_SIZE = 64;
const MAX_NAMED = 5;

/** A process that ends right after a write leaves the derivation to the next one, so that this is no fault. */
const BEHIND: Finding = {
  result: 'ok',
  detail: 'the last changes are not derived yet; `loci index` does it, and so does a server',
};

/**
 * Derives the nodes, edges, names and mentions of every record again, and compares them with those in the store. Of the edges between
 * similar texts, only both ends are checked: to derive them would take longer than everything else. Mentions of a name that more than
 * `MAX_MENTIONING_RECORDS` records mention may differ: no edge follows from them.
 * @throws LociError `aborted`
 */
export async function checkGraph(context: EngineContext, options: ProgressOptions): Promise<Finding> {
  const { store, namespace, config, now, thread } = context;
  const { types, enabled } = config.graph;
  if (!enabled) return { result: 'ok', detail: 'switched off' };
  const state = await store.graph.state(namespace);
  const isTextBehind = state.lastChange > 0 && !isTextCurrent(state, types);
  if (isTextBehind || !isConceptsCurrent(state)) return BEHIND;
  const [wrong, dangling, misnamed]: [string[], string[], string[]] = [[], [], []];
  let count = 0;
  for await (const records of recordPages(context, options)) {
    const ids = records.map(({ id }) => id);
    const built = await buildRecords({ store, namespace, thread, types, now: now(), ...options }, ids);
    const stored = await store.graph.contributions(namespace, 'text', ids);
    for (const record of records)
      if (!isSameGraph(built.get(record.id), stored.get(record.id))) wrong.push(recordName(record));
    const unpaired = await unpairedEdges(store, namespace, ids);
    for (const record of records) if (unpaired.has(record.id)) dangling.push(recordName(record));
    misnamed.push(...(await differing(context, records)));
    count += records.length;
  }
  const faults = [
    ...(wrong.length === 0 ? [] : [`nodes or edges differ in ${nameRecords(wrong)}`]),
    ...(dangling.length === 0 ? [] : [`similar texts lack one end in ${nameRecords(dangling)}`]),
    ...(misnamed.length === 0 ? [] : [`names or mentions differ in ${nameRecords(misnamed)}`]),
  ];
  if (faults.length > 0) return { result: 'failed', detail: faults.join('\n') };
  return { result: 'ok', detail: `${formatCount(count, 'record')}, all edges and names correct` };
}

/** The records of the namespace, a page at a time. Reports progress after each. @throws LociError `aborted` */
async function* recordPages(
  { store, namespace, now }: EngineContext,
  options: ProgressOptions,
): AsyncGenerator<LociRecord[]> {
  const total = await store.records.count(namespace, { now: now() });
  let done = 0;
  for (let after: number | null = null; ;) {
    assertNotAborted(options);
    const page = { after, limit: PAGE_SIZE };
    const records = await store.records.list(namespace, { filter: { now: now() }, order: 'oldest' }, page);
    const last = records.at(-1);
    if (last === undefined) return;
    yield records;
    done += records.length;
    options.onProgress?.({ stage: 'checking', subject: 'graph', done, total });
    after = last.id;
  }
}

/** `12 records: a.md, b.md …` */
export function nameRecords(names: readonly string[]): string {
  const first = names.slice(0, MAX_NAMED).join(', ');
  return `${formatCount(names.length, 'record')}: ${first}${names.length > MAX_NAMED ? ' …' : ''}`;
}

/** The records with an edge to a similar record that is gone, or that has no edge back. */
async function unpairedEdges(
  { graph }: Store,
  namespace: string,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const edges = [...(await graph.contributions(namespace, 'similar', ids)).values()].flatMap(
    (each) => each.edges,
  );
  if (edges.length === 0) return new Set();
  const targets = await graph.contributions(namespace, 'similar', [...new Set(edges.map(recordOfTarget))]);
  const pairs = new Set(
    [...targets.values()].flatMap((each) => each.edges.map(({ src, dst }) => `${dst} ${src}`)),
  );
  const unpaired = edges.filter(({ src, dst }) => !pairs.has(`${src} ${dst}`));
  return new Set(unpaired.map(({ provenance }) => provenance.record));
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

/** The records whose names or mentions differ from those in the store. */
async function differing(
  { store, namespace, now, thread }: EngineContext,
  records: readonly LociRecord[],
): Promise<string[]> {
  const ids = records.map(({ id }) => id);
  const options = { store, namespace, thread, now: now() };
  const [stored, names] = await Promise.all([
    store.graph.recordConcepts(namespace, ids),
    namesOfRecords(options, records),
  ]);
  const byRecord = new Map(records.map(({ id }, i) => [id, names[i]!]));
  const mentions = await mentionsOfRecords(options, records);
  const wrong: string[] = [];
  for (const record of records) {
    const built = { ...byRecord.get(record.id)!, mentions: mentions.get(record.id) ?? [] };
    const found = stored.get(record.id);
    if (found !== undefined && isDeepStrictEqual(sortedNames(found), sortedNames(built))) continue;
    const keys = new Set([...built.mentions, ...(found?.mentions ?? [])].map(({ key }) => key));
    const request = { project: record.project, keys: [], counted: [...keys] };
    const frequencies = await store.graph.namings(namespace, request);
    const rare = (concepts: RecordConcepts): RecordConcepts => ({
      ...concepts,
      mentions: concepts.mentions.filter(
        ({ key }) => (frequencies.get(key)?.records ?? 0) <= MAX_MENTIONING_RECORDS,
      ),
    });
    if (found === undefined || !isDeepStrictEqual(sortedNames(rare(found)), sortedNames(rare(built))))
      wrong.push(recordName(record));
  }
  return wrong;
}

function sortedNames({ project, note, names, mentions }: RecordConcepts): RecordConcepts {
  const byKey = (a: { readonly key: string }, b: { readonly key: string }): number =>
    a.key < b.key ? -1 : 1;
  return { project, note, names: names.toSorted(byKey), mentions: mentions.toSorted(byKey) };
}
