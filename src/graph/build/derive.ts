import { isDeepStrictEqual } from 'node:util';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import { runInGroups, type TaskRunner } from '../../core/threads/task-thread.ts';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import {
  type GraphState,
  type GraphUpdate,
  type NodeDraft,
  type RecordGraph,
  type EdgeDraft,
  recordNode,
  type BelongsTo,
} from '../../store/graph-model.ts';
import type { Fence, LinkCursor, RecordChange, RecordLink } from '../../store/model.ts';
import { pageNamesIn } from '../../store/rules/link-index.ts';
import type { Store } from '../../store/store.ts';
import { type NodeTypeRules, BUILD_VERSION, buildRecord, type BuiltRecord, rounded } from './record-graph.ts';
import { OUTLINES } from './outline.ts';

interface GraphOptions extends ProgressOptions {
  readonly store: Store;
  readonly namespace: string;
  readonly now: Timestamp;
  /** Reads long texts. */
  readonly thread: TaskRunner;
  readonly types: NodeTypeRules;
}

export interface DerivationOptions extends GraphOptions {
  /** The store refuses to write after another process has taken over this lease. */
  readonly fence?: Fence;
}

/** Records of one commit. A larger one would hold up the writes and searches of others for longer. */
const BATCH = 64;
const LINK_PAGE = 1000;

/** Identifies what the nodes and edges of a record depend on beside the record and its links. */
function graphRules(types: NodeTypeRules): string {
  const entries = Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${String(BUILD_VERSION)}/${JSON.stringify(entries)}`;
}

/** Precedes the rules while all records are derived for the first time, or again after a change of the rules. */
const BUILDING = 'building ';
/** Precedes the rules from then on until all records were compared with each other once. */
const COMPARING = 'comparing ';

/** The rules by which all texts were derived, whether or not the records were compared since. */
export function rulesOfText(rules: string): string {
  return rules.startsWith(COMPARING) ? rules.slice(COMPARING.length) : rules;
}

/**
 * Whether every lane has derived all records once since the last full build, so that the graph lacks at most what changed last.
 * A graph without a whole lane would lead elsewhere.
 */
export function isBuilt({ rules, conceptsUpTo }: GraphState, types: NodeTypeRules): boolean {
  return rules === graphRules(types) && conceptsUpTo > 0;
}

/** The last change that the graph has of the texts by these rules; 0 if all of them will be derived again. */
export function textUpTo({ upTo, rules }: GraphState, types: NodeTypeRules): number {
  const current = graphRules(types);
  return rulesOfText(rules) === current || rules === BUILDING + current ? upTo : 0;
}

/** Whether no record waits to be derived from its text. */
export function isTextCurrent({ upTo, rules, lastChange, stale }: GraphState, types: NodeTypeRules): boolean {
  return upTo === lastChange && stale === 0 && rulesOfText(rules) === graphRules(types);
}

/**
 * Derives the nodes and edges of the records that have changed, in the order of the change feed, and of those that are stale:
 * their links mean other records now. It commits its progress with each batch, so that a derivation that was interrupted
 * continues. Returns the number of records.
 * @throws LociError `aborted`, `conflict` when the lease was lost, and the errors of the store
 */
export async function deriveGraph(options: DerivationOptions): Promise<number> {
  const { store, namespace, types } = options;
  const state = await store.graph.state(namespace);
  if (isTextCurrent(state, types)) return 0;
  const rules = graphRules(types);
  let upTo = state.upTo;
  const isDerived = rulesOfText(state.rules) === rules;
  if (!isDerived && state.rules !== BUILDING + rules) {
    upTo = 0;
    await commit(options, { progress: { upTo, rules: BUILDING + rules } });
  }
  let done = 0;
  const report = (records: number): void => {
    done += records;
    const total = Math.max(done, state.lastChange - state.upTo);
    options.onProgress?.({ stage: 'relating', subject: namespace, done, total });
  };
  for await (const changes of changePages(store, namespace, upTo, BATCH)) {
    assertNotAborted(options);
    const written = writtenIn(changes);
    upTo = changes.at(-1)!.sequence;
    await commit(options, { ...(await contributionsOf(options, written)), progress: { upTo } });
    report(written.length);
  }
  for (;;) {
    assertNotAborted(options);
    const { records: stale } = (await store.graph.state(namespace, BATCH)).waiting;
    if (stale.length === 0) break;
    const contributions = await contributionsOf(
      options,
      stale.map(({ record }) => record),
    );
    await commit(options, { ...contributions, settled: stale });
    report(stale.length);
  }
  if (!isDerived) await commit(options, { progress: { rules: COMPARING + rules } });
  return done;
}

/**
 * The pages of the change feed after a change; 0 for all. A feed that must be read anew is read from its beginning: nothing of removed
 * records is left in the graph.
 */
export async function* changePages(
  { records }: Pick<Store, 'records'>,
  namespace: string,
  upTo: number,
  limit: number,
): AsyncGenerator<readonly RecordChange[]> {
  for (let after = upTo === 0 ? null : upTo; ;) {
    const { changes, mustRestart } = await records.changes(namespace, { after, limit });
    if (changes.length > 0 && !mustRestart) yield changes;
    if (changes.length < limit && !mustRestart) return;
    after = mustRestart ? null : changes.at(-1)!.sequence;
  }
}

export function writtenIn(changes: readonly RecordChange[]): number[] {
  return changes.filter(({ kind }) => kind === 'written').map(({ record }) => record);
}

async function commit(
  { store, namespace, fence }: DerivationOptions,
  update: Partial<GraphUpdate>,
): Promise<void> {
  await store.records.commit(namespace, {
    graph: { lane: 'text', records: new Map(), shared: [], ...update },
    ...(fence !== undefined && { fence }),
  });
}

/** What these records contribute; nothing for those that are gone. */
async function contributionsOf(
  options: GraphOptions,
  ids: readonly number[],
): Promise<Pick<GraphUpdate, 'records' | 'shared'>> {
  const built = await buildRecords(options, ids);
  const shared = new Map<string, NodeDraft>();
  for (const each of built.values()) for (const node of each.shared) shared.set(node.key, node);
  const none: RecordGraph = { nodes: [], edges: [] };
  return {
    records: new Map(
      ids.map((id) => {
        const { nodes, edges } = built.get(id) ?? none;
        return [id, { nodes, edges }];
      }),
    ),
    shared: [...shared.values()],
  };
}

/** Builds the nodes and edges of live records, from what the store has now. */
export async function buildRecords(
  { store, namespace, now, thread, types, signal }: GraphOptions,
  ids: readonly number[],
): Promise<Map<number, BuiltRecord>> {
  const records = await store.records.get(namespace, ids, { liveAt: now, damaged: 'is empty' });
  const live = records.map(({ id }) => id);
  const [links, passages, before] = await Promise.all([
    linksFrom(store, namespace, live),
    store.records.passagesOf(namespace, live),
    store.graph.contributions(namespace, 'text', live),
  ]);
  const texts = records.map(({ content, metadata }) => ({
    content,
    isLogseq: pageNamesIn(metadata).length > 0,
  }));
  const outlines = await runInGroups({ thread, signal }, OUTLINES, texts, ({ content }) => content.length);
  return new Map(
    records.map((record: LociRecord, i) => [
      record.id,
      buildRecord(
        {
          record,
          links: links.get(record.id) ?? [],
          outline: outlines[i]!,
          passages: passages.get(record.id) ?? [],
          sharesIdentity: before.get(record.id)!.isSharing,
        },
        types,
      ),
    ]),
  );
}

async function linksFrom(
  { records }: Pick<Store, 'records'>,
  namespace: string,
  from: readonly number[],
): Promise<Map<number, RecordLink[]>> {
  const links: RecordLink[] = [];
  for (let after: LinkCursor | null = null; ;) {
    const page: RecordLink[] = await records.links(namespace, { from }, { after, limit: LINK_PAGE });
    links.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < LINK_PAGE) return Map.groupBy(links, ({ record }) => record);
    after = { record: last.record, position: last.position };
  }
}

const PAGE = 100;

/**
 * Copies to the graph to which notes documents of sources belong, as `search/belongs-to.ts` has derived it. Writes only what
 * differs.
 * @throws LociError `aborted`, and the errors of the store
 */
export async function deriveDocumentEdges(options: DerivationOptions): Promise<void> {
  const { store, namespace, now, fence } = options;
  const selector = { filter: { now, origins: ['source'] }, order: 'oldest', damaged: 'is empty' } as const;
  for (let after: number | null = null; ;) {
    assertNotAborted(options);
    const documents = await store.records.list(namespace, selector, { after, limit: PAGE });
    const last = documents.at(-1);
    if (last === undefined) return;
    const hashes = new Map(documents.map(({ id, contentHash }) => [id, contentHash]));
    const ids = [...hashes.keys()];
    const edges = Map.groupBy(
      await store.records.belongsTo(namespace, { documents: ids }),
      ({ document }) => document,
    );
    const before = await store.graph.contributions(namespace, 'documents', ids);
    const records = new Map<number, RecordGraph>();
    for (const [id, hash] of hashes) {
      const wanted = (edges.get(id) ?? []).map((edge) => edgeOf(edge, hash));
      if (!isDeepStrictEqual(byTarget(wanted), byTarget(before.get(id)?.edges ?? [])))
        records.set(id, { nodes: [], edges: wanted });
    }
    if (records.size > 0)
      await store.records.commit(namespace, {
        graph: { lane: 'documents', records, shared: [] },
        ...(fence !== undefined && { fence }),
      });
    after = last.id;
  }
}

function byTarget(edges: readonly EdgeDraft[]): EdgeDraft[] {
  return [...edges].sort((a, b) => (a.dst < b.dst ? -1 : 1));
}

/** The first note is the one to which the document belongs most probably. */
function edgeOf({ document, note, position, share, confidence }: BelongsTo, hash: string): EdgeDraft {
  const percent = `${String(Math.round(100 * confidence))}% sure`;
  return {
    src: recordNode(document),
    dst: recordNode(note),
    type: 'part_of',
    weight: Math.max(0.001, rounded(confidence * share)),
    reason: `its text finds this note ${position === 1 ? 'first' : `as number ${String(position)}`} (${percent})`,
    provenance: { record: document, passage: null, lines: null, hash },
  };
}
