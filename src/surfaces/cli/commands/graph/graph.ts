import { ERROR_TABLE } from '../../../../core/errors.ts';
import { formatCount } from '../../../../core/text/format-count.ts';
import type { GraphDiffOutput, GraphViewOutput } from '../../../../operations/nouns/graph-files.ts';
import type { GraphExportOutput } from '../../../../engine/graph/export-graph.ts';
import type { GraphConceptsOutput, GraphConflictsOutput } from '../../../../engine/graph/concepts.ts';
import { type StepOutput, stepTarget } from '../../../../engine/graph/graph-fields.ts';
import type { GraphMapOutput } from '../../../../engine/graph-map/map-fields.ts';
import type { GraphPathOutput, GraphShowOutput } from '../../../../engine/graph/show-nodes.ts';
import type { GraphStatusOutput } from '../../../../engine/graph/graph-status.ts';
import { oneLine, toJson } from '../../../shared/escape-control.ts';
import type { OperationCommand, View } from '../operation-command.ts';
import { nodeWarnings } from '../packs/node-texts.ts';
import { nextPageLines } from '../../format/output-text.ts';

const CONDITIONS: Readonly<Record<GraphStatusOutput['condition'], string>> = {
  off: 'switched off (graph.enabled)',
  building: 'being built; `loci index` continues it',
  behind: 'behind the last changes; `loci index` updates it',
  current: 'up to date',
};

export const graphStatus: OperationCommand<GraphStatusOutput> = {
  render: ({ condition, nodes, edges, projects, edges_by_type }, { style }) => {
    const total = `${formatCount(nodes, 'node')} and ${formatCount(edges, 'edge')}`;
    return [
      `The graph has ${total}, and is ${CONDITIONS[condition]}.`,
      ...projects.map((each) => `${style.bold(oneLine(each.project))}  ${countsText(each.nodes)}`),
      ...(edges === 0 ? [] : [style.dim(`edges  ${countsText(edges_by_type)}`)]),
    ]
      .map((line) => `${line}\n`)
      .join('');
  },
};

function countsText(counts: Readonly<Partial<Record<string, number>>>): string {
  return Object.entries(counts)
    .map(([type, count]) => `${String(count)} ${type}`)
    .join(', ');
}

export const graphShow: OperationCommand<GraphShowOutput> = {
  operands: [{ field: 'nodes', label: 'node', takes: 'list' }],
  shortOptions: { k: 'n' },
  warnings: nodeWarnings,
  exitCode: ({ nodes }) => (nodes.length === 0 ? ERROR_TABLE.not_found.exit : 0),
  render: ({ nodes }, view) => nodes.map((node) => nodeLines(node, view).join('\n') + '\n').join('\n'),
};

function nodeLines(node: GraphShowOutput['nodes'][number], { style }: View): string[] {
  const { id, type, title, project, task, citation, edges, not_shown, near } = node;
  const state =
    task === null ? '' : `, ${task.done ? 'done' : 'open'}${task.due === null ? '' : `, due ${task.due}`}`;
  return [
    `${style.bold(oneLine(title))}  ${style.dim(`${type}${state} · ${oneLine(project)} · ${id}`)}`,
    ...(citation === null ? [] : [style.link(oneLine(citation))]),
    ...edges.map((edge) => `  ${edgeText(edge)}`),
    ...notShownLines(not_shown).map((line) => style.dim(`  and ${line}`)),
    ...near.map((each) => `  ${style.dim('near')}  ${oneLine(each.title)}  ${style.dim(oneLine(each.via))}`),
  ];
}

/** The edge to its own project is left out, because the heading names the project. */
function notShownLines({
  limit,
  other_projects,
  common_tags,
}: GraphShowOutput['nodes'][number]['not_shown']): string[] {
  return [
    ...(limit > 0 ? [formatCount(limit, 'other edge')] : []),
    ...(other_projects === 1 ? ['1 edge into another project, which is not followed'] : []),
    ...(other_projects > 1
      ? [`${String(other_projects)} edges into other projects, which are not followed`]
      : []),
    ...(common_tags > 0 ? [`${formatCount(common_tags, 'edge')} of tags that are too common to follow`] : []),
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
  exitCode: ({ found, unknown }) => (unknown.length > 0 ? ERROR_TABLE.not_found.exit : found ? 0 : 1),
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
  render: ({ nodes, totals }, { style }) => {
    const shown = nodes.title.slice(0, MAX_LISTED_NODES);
    const total = `${formatCount(totals.nodes, 'node')} and ${formatCount(totals.edges, 'edge')} between them`;
    return [
      `The map has ${total}.`,
      ...shown.map((title, i) => `${oneLine(title)}  ${style.dim(formatCount(nodes.degree[i]!, 'edge'))}`),
      ...(nodes.id.length > shown.length ? [style.dim('--json prints all, with their positions.')] : []),
    ]
      .map((line) => `${line}\n`)
      .join('');
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
  render: ({ nodes, edges }, { style }) => {
    const edgeName = ({ src, type, dst }: GraphDiffOutput['edges']['added'][number]): string =>
      `edge ${src} ${type} ${dst}`;
    const nodeName = ({ id, title }: GraphDiffOutput['nodes']['added'][number]): string =>
      `node ${id}  ${oneLine(title)}`;
    const lines = [
      ...nodes.removed.map((node) => style.bad(`- ${nodeName(node)}`)),
      ...nodes.added.map((node) => style.good(`+ ${nodeName(node)}`)),
      ...nodes.changed.map(({ after, fields }) => `~ ${nodeName(after)}  (${fields.join(', ')})`),
      ...edges.removed.map((edge) => style.bad(`- ${edgeName(edge)}`)),
      ...edges.added.map((edge) => style.good(`+ ${edgeName(edge)}`)),
      ...edges.changed.map(({ after, fields }) => `~ ${edgeName(after)}  (${fields.join(', ')})`),
    ];
    return lines.length === 0 ? 'The graphs are the same.\n' : `${lines.join('\n')}\n`;
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
    if (concepts.length === 0) return 'There are no such concepts.\n';
    const lines = concepts.flatMap(({ id, label, project, names }) => {
      const others = names.map(({ name }) => oneLine(name)).filter((name) => name !== oneLine(label));
      return [
        `${view.style.bold(oneLine(label))}  ${view.style.dim(`${oneLine(project)} · ${id}`)}`,
        ...(others.length === 0 ? [] : [`  also: ${others.join(', ')}`]),
      ];
    });
    return `${[...lines, ...nextPageLines(next, view)].join('\n')}\n`;
  },
};

export const graphConflicts: OperationCommand<GraphConflictsOutput> = {
  shortOptions: { limit: 'n' },
  isLong: true,
  render: ({ conflicts, next }, view) => {
    if (conflicts.length === 0) return 'No name is a title or alias of two notes.\n';
    const lines = conflicts.flatMap(({ name, project, notes }) => [
      `${view.style.bold(oneLine(name))}  ${view.style.dim(oneLine(project))}`,
      ...notes.map(({ citation, title }) => `  ${oneLine(title)}  ${view.style.link(oneLine(citation))}`),
    ]);
    return `${[...lines, ...nextPageLines(next, view)].join('\n')}\n`;
  },
};
