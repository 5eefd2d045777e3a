import { z } from 'zod';
import { EDGE_TYPES, NODE_TYPES } from '../../core/graph-types.ts';
import type { GraphNode } from '../../store/graph-model.ts';
import type { Step } from '../../graph/walk.ts';
import { filterValue } from '../fields/record-fields.ts';

/** Fields that several operations on the graph share. */

const MAX_NAME_INPUT = 100_000;

/** A name of any length, so that one that no node can have is reported as unknown and the others are answered. */
export const nodeName = () => z.string().max(MAX_NAME_INPUT);

export const NODE_NAMES =
  'ids of nodes, citations, titles of notes, names of projects, or tags such as `#kitchen`';

export const projectField = () =>
  filterValue()
    .exactOptional()
    .describe('Only nodes of this project. The default is all projects, one graph each.');

export const allowCrossProject = () =>
  z
    .boolean()
    .exactOptional()
    .describe(
      'Follow edges into other projects too, if `graph.crossProject` allows it: those of the types in `graph.crossProjectTypes`, which is empty by default.',
    );

export const nodeOutput = z.strictObject({
  id: z.string(),
  type: z.enum(NODE_TYPES),
  title: z.string(),
  project: z.string(),
});
type NodeOutput = z.infer<typeof nodeOutput>;

export const stepOutput = z.strictObject({
  type: z.enum(EDGE_TYPES),
  direction: z
    .enum(['out', 'in'])
    .describe('`out` if the edge begins at the node before, `in` if it leads there.'),
  from: nodeOutput.describe('Where the edge begins: the note with the link.'),
  to: nodeOutput.describe('Where it leads.'),
  crosses_projects: z.boolean(),
  weight: z.number(),
  reason: z.string().describe('Why the edge is there.'),
  provenance: z.strictObject({
    citation: z.string().nullable().describe('Where it says so; null if the record was just removed.'),
    record: z.number().int().describe('The number of the record that says so.'),
    hash: z.string().describe('SHA-256 of these lines, or of the whole text.'),
  }),
});
export type StepOutput = z.infer<typeof stepOutput>;

export const noticesOutput = z
  .array(z.string())
  .describe('Why it leads to less than one may expect, such as a setting or a tag that is too common.');

export const unknownOutput = z.array(z.strictObject({ name: z.string(), reason: z.string() }));

export function formatNode({ id, type, title, project }: GraphNode): NodeOutput {
  return { id, type, title, project };
}

/** @param places the citations of edges, among others */
export function formatStep(
  { edge, from, to, forwards }: Step,
  places: ReadonlyMap<object, string>,
): StepOutput {
  const { type, weight, reason, provenance } = edge;
  return {
    type,
    direction: forwards ? 'out' : 'in',
    from: formatNode(forwards ? from : to),
    to: formatNode(forwards ? to : from),
    crosses_projects: from.project !== to.project,
    weight,
    reason,
    provenance: { citation: places.get(edge) ?? null, record: provenance.record, hash: provenance.hash },
  };
}

/** The end of an edge that a step leads to. */
export function stepTarget({
  direction,
  from,
  to,
}: Pick<StepOutput, 'direction' | 'from' | 'to'>): NodeOutput {
  return direction === 'out' ? to : from;
}
