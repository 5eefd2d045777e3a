import { z } from 'zod';
import { EDGE_TYPES } from '../../core/graph-types.ts';
import { shortestPath } from '../../graph/path.ts';
import type { GraphNode } from '../../store/graph-model.ts';
import type { EngineContext } from '../context.ts';
import { crossProjectTypes, graphFilter, type GraphScope } from './graph-view.ts';

/** What a path between two nodes needs that was not found within their projects. */
export const acrossProjects = z.strictObject({
  projects: z.array(z.string()).describe('The projects through which it leads, in this order.'),
  types: z.array(z.enum(EDGE_TYPES)).describe('The types of its edges into other projects.'),
  setting: z.array(z.enum(EDGE_TYPES)).describe('`graph.crossProjectTypes` with these types added.'),
  allowed: z.boolean().describe('Whether the settings allow them with `allow_cross_project`.'),
});

/**
 * Looks for a path through other projects, without following it for the caller. The operator may know about each edge; an agent
 * about those that it may ask to follow.
 */
export async function pathAcrossProjects(
  context: EngineContext,
  { project: _, ...scope }: GraphScope,
  from: GraphNode,
  to: GraphNode,
): Promise<z.infer<typeof acrossProjects> | null> {
  const { graph, namespace, caller, config } = context;
  const followed = crossProjectTypes(context, { allow_cross_project: true });
  const known = caller.trust === 'operator' ? EDGE_TYPES : followed;
  if (known.length === 0) return null;
  const filter = await graphFilter(context, scope);
  const options = { graph, namespace, filter, crossProjectTypes: known };
  const { path } = await shortestPath(options, from, to);
  if (path === null) return null;
  const crossing = path.filter((step) => step.from.project !== step.to.project);
  const types = [...new Set(crossing.map(({ edge }) => edge.type))];
  const projects = [from.project, ...crossing.map((step) => step.to.project)];
  const setting = [...new Set([...config.graph.crossProjectTypes, ...types])];
  return { projects, types, setting, allowed: types.every((type) => followed.includes(type)) };
}
