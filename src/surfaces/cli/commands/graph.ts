import { ERROR_TABLE } from '../../../core/errors.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import type { GraphDiffOutput, GraphViewOutput } from '../../../operations/nouns/graph-files.ts';
import type { GraphExportOutput } from '../../../engine/graph/export-graph.ts';
import type { GraphConceptsOutput, GraphConflictsOutput } from '../../../engine/graph/concepts.ts';
import { type StepOutput, stepTarget } from '../../../engine/graph/graph-fields.ts';
import type { GraphMapOutput } from '../../../engine/graph-map/map-fields.ts';
import type { GraphPathOutput, GraphShowOutput } from '../../../engine/graph/show-nodes.ts';
import type { GraphStatusOutput } from '../../../engine/graph/graph-status.ts';
import { oneLine, toJson } from '../../shared/escape-control.ts';
import type { OperationCommand, View } from './operation-command.ts';
import { nodeWarnings } from './packs.ts';
import { tables } from '../format/output-text.ts';

const CONDITIONS: Readonly<Record<GraphStatusOutput['condition'], string>> = {
  off: 'switched off (graph.enabled)',
  building: 'being built; `loci index` continues it',
  behind: 'behind the last changes; `loci index` updates it',
  current: 'up to date',
};

export const graphStatus: OperationCommand<GraphStatusOutput> = {
  render: ({ condition, ...output }, view) =>
    tables({ projects: 'project nodes' }, '', 'nodes edges edges_by_type')(output, view) +
    `The graph is ${CONDITIONS[condition]}.\n`,
};

export const graphShow: OperationCommand<GraphShowOutput> = {
  operands: [{ field: 'nodes', label: 'node', takes: 'list' }],
  shortOptions: { k: 'n' },
  warnings: nodeWarnings,
  exitCode: ({ nodes }) => (nodes.length === 0 ? ERROR_TABLE.not_found.exit : 0),
  render: ({ nodes }, view) => nodes.map((node) => nodeLines(node, view).join('\n') + '\n').join('\n'),
};

/** Why edges are not shown. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  limit: '-n shows more',
  other_projects: 'into other projects, which are not followed',
  common_tags: 'of tags that are too common to follow',
};

function nodeLines(node: GraphShowOutput['nodes'][number], { style }: View): string[] {
  const { id, type, title, project, task, citation, edges, not_shown, near } = node;
  const state =
    task === null ? '' : `, ${task.done ? 'done' : 'open'}${task.due === null ? '' : `, due ${task.due}`}`;
  return [
    `${style.bold(oneLine(title))}  ${style.dim(`${type}${state} · ${oneLine(project)} · ${id}`)}`,
    ...(citation === null ? [] : [style.link(oneLine(citation))]),
    ...edges.map((edge) => `  ${edgeText(edge)}`),
    ...Object.entries(not_shown).flatMap(([why, count]) =>
      count === 0 ? [] : [style.dim(`  and ${formatCount(count, 'other edge')}: ${NOT_SHOWN[why] ?? why}`)],
    ),
    ...near.map((each) => `  ${style.dim('near')}  ${oneLine(each.title)}  ${style.dim(oneLine(each.via))}`),
  ];
}

function edgeText(step: StepOutput): string {
  const { type, direction, reason, crosses_projects, provenance } = step;
  const to = stepTarget(step);
  const crossing = crosses_projects ? ` (project ${oneLine(to.project)})` : '';
  const place = provenance.citation === null ? '' : `, ${oneLine(provenance.citation)}`;
  return `${direction === 'out' ? '→' : '←'} ${type}  ${oneLine(to.title)}${crossing}  (${oneLine(reason)}${place})`;
}

export const graphPath: OperationCommand<GraphPathOutput> = {
  operands: [
    { field: 'from', label: 'from', takes: 'one' },
    { field: 'to', label: 'to', takes: 'one' },
  ],
  warnings: nodeWarnings,
  exitCode: ({ found }) => (found ? 0 : ERROR_TABLE.not_found.exit),
  render: ({ from, to, found, partial, steps }, { style }) => {
    if (from === null || to === null) return '';
    if (!found) return partial ? 'No path was found among the nearest nodes.\n' : 'They are not connected.\n';
    if (steps.length === 0) return 'They are the same node.\n';
    return [style.bold(oneLine(from.title)), ...steps.map((step) => `  ${edgeText(step)}`)]
      .map((line) => `${line}\n`)
      .join('');
  },
};

const MAX_LISTED_NODES = 20;

export const graphMap: OperationCommand<GraphMapOutput> = {
  operands: [{ field: 'around', label: 'node', takes: 'list' }],
  isLong: true,
  warnings: nodeWarnings,
  exitCode: ({ nodes, unknown }) =>
    nodes.id.length === 0 && unknown.length > 0 ? ERROR_TABLE.not_found.exit : 0,
  render: ({ nodes, totals }, view) => {
    const listed = nodes.title
      .slice(0, MAX_LISTED_NODES)
      .map((title, i) => ({ title, edges: nodes.degree[i]! }));
    const more = nodes.id.length > listed.length ? '; --json prints all, with their positions' : '';
    const total = `${formatCount(totals.nodes, 'node')} and ${formatCount(totals.edges, 'edge')} between them`;
    return `${tables({ nodes: 'title edges' })({ nodes: listed }, view)}The map has ${total}${more}.\n`;
  },
};

export const graphExport: OperationCommand<GraphExportOutput> = {
  isLong: true,
  warnings: ({ complete }) =>
    complete ? [] : ['the exported graph is not complete; `loci index` derives the rest'],
  exitCode: ({ complete }) => (complete ? 0 : 1),
  render: ({ written, ...page }) => (written ? '' : `${toJson(page)}\n`),
};

export const graphDiff: OperationCommand<GraphDiffOutput> = {
  operands: [
    { field: 'before', label: 'before', takes: 'one' },
    { field: 'after', label: 'after', takes: 'one' },
  ],
  render: ({ nodes, edges }, view) => {
    const edge = ({ src, type, dst }: GraphDiffOutput['edges']['added'][number]) => ({
      id: `${src} ${type} ${dst}`,
      title: '',
    });
    const changes = [
      ...nodes.removed.map((node) => ({ change: '-', what: 'node', ...node })),
      ...nodes.added.map((node) => ({ change: '+', what: 'node', ...node })),
      ...nodes.changed.map(({ after, fields }) => ({ change: '~', what: 'node', ...after, fields })),
      ...edges.removed.map((each) => ({ change: '-', what: 'edge', ...edge(each) })),
      ...edges.added.map((each) => ({ change: '+', what: 'edge', ...edge(each) })),
      ...edges.changed.map(({ after, fields }) => ({ change: '~', what: 'edge', ...edge(after), fields })),
    ];
    return tables({ changes: 'change what id title fields' }, 'The graphs are the same.')({ changes }, view);
  },
};

export const graphView: OperationCommand<GraphViewOutput> = {
  operands: [{ field: 'graph', label: 'graph', takes: 'one' }],
  shortOptions: { output: 'o' },
  isLong: true,
  render: ({ file }, { style }) => `${style.link(oneLine(file))}\n`,
};

export const graphConcepts: OperationCommand<GraphConceptsOutput> = {
  operands: [{ field: 'name', label: 'name', takes: 'words' }],
  shortOptions: { limit: 'n' },
  isLong: true,
  render: ({ concepts, next }, view) => {
    const listed = concepts.map(({ label, names, ...each }) => ({
      ...each,
      label,
      also: names.flatMap(({ name }) => (name === label ? [] : [name])),
    }));
    return tables({ concepts: 'label project id also' }, 'There are no such concepts.')(
      { concepts: listed, next },
      view,
    );
  },
};

export const graphConflicts: OperationCommand<GraphConflictsOutput> = {
  shortOptions: { limit: 'n' },
  isLong: true,
  render: ({ conflicts, next }, view) => {
    const notes = conflicts.flatMap(({ name, project, notes }) =>
      notes.map((note) => ({ ...note, name, project })),
    );
    return tables({ notes: 'name project title citation' }, 'No name is a title or alias of two notes.')(
      { notes, next },
      view,
    );
  },
};
