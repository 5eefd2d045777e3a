import { z } from 'zod';
import type { LociRecord } from '../../core/types.ts';
import { LociError } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type {
  EdgeCursor,
  GraphEdge,
  GraphFilter,
  GraphNode,
  GraphProvenance,
} from '../../store/graph-model.ts';
import {
  EXPORT_VERSION,
  exportedEdge,
  exportedNode,
  type ExportedEdge,
  type ExportedNode,
  type ExportedProvenance,
} from '../../graph/export-schema.ts';
import { commonTags } from '../../graph/walk.ts';
import { abstractOf, splitText } from '../../pack/levels/levels.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { GraphMask } from './edge-places.ts';
import { projectField } from './graph-fields.ts';
import { graphCondition } from './graph-status.ts';
import { assertGraphIsOn, graphFilter } from './graph-view.ts';
import { updateGraph, updateRelations } from './update-relations.ts';

export const graphExportInput = z.strictObject({
  project: projectField(),
  after: z.string().max(200).exactOptional().describe('`next` of the previous page.'),
});

export const graphExportOutput = z.strictObject({
  nodes: z.array(exportedNode),
  edges: z.array(exportedEdge),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
  complete: z
    .boolean()
    .describe(
      'False if the graph lacks something that follows from the records; on the first or the last page.',
    ),
  written: z.boolean().describe('Whether everything was written to standard output instead.'),
});
export type GraphExportOutput = z.infer<typeof graphExportOutput>;

type PageItems = Pick<GraphExportOutput, 'nodes' | 'edges' | 'next'>;

interface GraphExportRequest extends ProgressOptions {
  readonly project?: string;
  /** Called when the exported graph lacks something that follows from the records. */
  readonly onIncomplete?: () => void;
}

const PAGE = 200;

/**
 * One page of the nodes, then of the edges, of the graph. It is the same for the same records: ids and order do not depend on
 * when or in which order they were indexed. Credentials in titles, tags, abstracts and reasons are masked.
 * @throws LociError `invalid_input` for a cursor that no page returned
 */
export async function exportGraphPage(
  context: EngineContext,
  request: GraphExportRequest = {},
  after: string | null = null,
): Promise<GraphExportOutput> {
  assertGraphIsOn(context);
  if (after === null) await expire(context);
  const isDerived = after !== null || (await deriveFirst(context, request));
  const filter = await graphFilter(context, request);
  const cursor = cursorOf(after);
  const page =
    cursor.kind === 'nodes'
      ? await nodePage(context, filter, cursor.after)
      : await edgePage(context, filter, cursor.after);
  const isWhole = page.next !== null || (await graphCondition(context)) !== 'building';
  return { ...page, complete: isDerived && isWhole, written: false };
}

/** The whole graph as the text of a JSON file, in pieces. */
export async function* exportGraph(
  context: EngineContext,
  request: GraphExportRequest = {},
): AsyncGenerator<string> {
  const { project = null } = request;
  yield `{"version":${String(EXPORT_VERSION)},"project":${JSON.stringify(project)},"nodes":[`;
  let separator = '\n';
  let isInEdges = false;
  for (let after: string | null = null; ;) {
    assertNotAborted(request);
    const page: GraphExportOutput = await exportGraphPage(context, request, after);
    if (!page.complete) request.onIncomplete?.();
    if (!isInEdges && after?.startsWith('e') === true) {
      yield '\n],"edges":[';
      [isInEdges, separator] = [true, '\n'];
    }
    for (const item of [...page.nodes, ...page.edges]) {
      yield separator + JSON.stringify(item);
      separator = ',\n';
    }
    if (page.next === null) break;
    after = page.next;
  }
  yield '\n]}\n';
}

type Cursor =
  | { readonly kind: 'nodes'; readonly after: string | null }
  | { readonly kind: 'edges'; readonly after: EdgeCursor | null };

function cursorOf(text: string | null): Cursor {
  if (text === null) return { kind: 'nodes', after: null };
  const node = /^n\/([a-z]_[0-9a-f]+)$/.exec(text)?.[1];
  if (node !== undefined) return { kind: 'nodes', after: node };
  if (text === 'e') return { kind: 'edges', after: null };
  const [, src, type, dst] = /^e\/([a-z]_[0-9a-f]+)\/([a-z_]+)\/([a-z]_[0-9a-f]+)$/.exec(text) ?? [];
  if (src !== undefined && type !== undefined && dst !== undefined)
    return { kind: 'edges', after: { src, type: type as EdgeCursor['type'], dst } };
  throw new LociError('invalid_input', `no page ends at ${JSON.stringify(text)}`);
}

async function nodePage(
  context: EngineContext,
  filter: GraphFilter,
  after: string | null,
): Promise<PageItems> {
  const { graph, namespace } = context;
  const nodes = await graph.nodes(namespace, { page: { after, limit: PAGE } }, filter);
  const last = nodes.at(-1);
  if (last === undefined) return { nodes: [], edges: [], next: 'e' };
  const common = await commonTags(context, nodes);
  const shown = nodes.filter(({ id }) => !common.has(id));
  const places = await sharedPlaces(context, filter, shown);
  const records = await recordsOf(context, [...shown.map((node) => node.provenance ?? places.get(node.id))]);
  const mask = new GraphMask(context.thread);
  const exported = shown.map(async (node): Promise<ExportedNode[]> => {
    const provenance = node.provenance ?? places.get(node.id);
    const record = provenance === undefined ? undefined : records.get(provenance.record);
    // The record was removed a moment ago.
    if (provenance === undefined || record === undefined) return [];
    return [await exportNode(mask, node, record, provenance)];
  });
  return { nodes: (await Promise.all(exported)).flat(), edges: [], next: `n/${last.id}` };
}

interface RecordWithNode {
  readonly record: LociRecord;
  readonly node: string;
}

async function exportNode(
  mask: GraphMask,
  node: GraphNode,
  { record, node: recordNode }: RecordWithNode,
  provenance: GraphProvenance,
): Promise<ExportedNode> {
  const { id, type, title, project, tags, task } = await mask.node(node);
  const abstract = id === recordNode ? l0Abstract(record) : null;
  return {
    ...{ id, type, title, project },
    l0_abstract: abstract === null ? null : await mask.texts.text(abstract),
    l1_summary_ref: id === recordNode ? `l1:${id}@${record.contentHash.slice(0, 16)}` : null,
    tags: [...tags],
    task,
    provenance: exportedProvenance(provenance, { record, node: recordNode }),
  };
}

function l0Abstract({ content, title }: LociRecord): string | null {
  const span = abstractOf(splitText(content), title);
  return span === null ? null : content.slice(span.start, span.end).replace(/\s+/g, ' ');
}

function exportedProvenance(
  { lines, hash }: GraphProvenance,
  { record, node }: RecordWithNode,
): ExportedProvenance {
  const { origin, source, key, uuid } = record;
  const isSourced = (origin === 'vault' || origin === 'source') && key !== null;
  return { node, record: isSourced ? `${source}:${key}` : `uuid:${uuid}`, lines, hash };
}

async function edgePage(
  context: EngineContext,
  filter: GraphFilter,
  after: EdgeCursor | null,
): Promise<PageItems> {
  const { store, graph, namespace } = context;
  const edges = await graph.edges(namespace, filter, { after, limit: PAGE });
  const last = edges.at(-1);
  if (last === undefined) return { nodes: [], edges: [], next: null };
  const tags = await store.graph.nodes(
    namespace,
    { ids: edges.flatMap(({ type, dst }) => (type === 'tagged' ? [dst] : [])) },
    filter,
  );
  const common = await commonTags(context, tags);
  const records = await recordsOf(
    context,
    edges.map(({ provenance }) => provenance),
  );
  const mask = new GraphMask(context.thread);
  const exported = edges.map(async (edge: GraphEdge): Promise<ExportedEdge[]> => {
    const record = records.get(edge.provenance.record);
    if (record === undefined || (edge.type === 'tagged' && common.has(edge.dst))) return [];
    const { src, dst, type, weight, reason, provenance } = await mask.edge(edge);
    return [{ src, dst, type, weight, reason, provenance: exportedProvenance(provenance, record) }];
  });
  return {
    nodes: [],
    edges: (await Promise.all(exported)).flat(),
    next: `e/${last.src}/${last.type}/${last.dst}`,
  };
}

/** For each node that records share, where the edge with the highest weight comes from. */
async function sharedPlaces(
  { graph, namespace }: EngineContext,
  filter: GraphFilter,
  nodes: readonly GraphNode[],
): Promise<Map<string, GraphProvenance>> {
  const shared = nodes.filter(({ provenance }) => provenance === null);
  const request = { limit: 1, crossProjectTypes: [], filter };
  const { out, in: into } = await graph.neighbours(namespace, shared, request);
  return new Map([
    ...out.map(({ src, provenance }): [string, GraphProvenance] => [src, provenance]),
    ...into.map(({ dst, provenance }): [string, GraphProvenance] => [dst, provenance]),
  ]);
}

async function recordsOf(
  { store, graph, namespace, now }: EngineContext,
  places: readonly (GraphProvenance | undefined)[],
): Promise<Map<number, RecordWithNode>> {
  const ids = [...new Set(places.flatMap((place) => place?.record ?? []))];
  const records = await store.records.get(namespace, ids, { liveAt: now() });
  const nodes = await graph.nodes(namespace, { records: ids });
  const byRecord = Map.groupBy(nodes, ({ record }) => record);
  return new Map(
    records.flatMap((record): [number, RecordWithNode][] => {
      const node = byRecord.get(record.id)?.[0]?.id;
      return node === undefined ? [] : [[record.id, { record, node }]];
    }),
  );
}

/** How long to wait for another process that derives the graph. The lease of a process that was killed ends sooner. */
const MAX_WAIT_MS = 12_000;

/**
 * Derives what the graph lacks, after another process that does so has ended. Returns whether the graph is complete.
 * @throws LociError `aborted`, and the errors of the store
 */
async function deriveFirst(context: EngineContext, options: ProgressOptions): Promise<boolean> {
  await updateGraph(context, options);
  await updateRelations(context, { ...options, waitMs: MAX_WAIT_MS }).catch((error: unknown) => {
    // Without the vectors of the configured model, for example, the rest of the graph can be exported.
    if (error instanceof LociError && error.code === 'aborted') throw error;
  });
  return (await graphCondition(context)) === 'current';
}
