import { LociError } from '../../core/errors.ts';
import type { EdgeType } from '../../core/graph-types.ts';
import type { GraphFilter } from '../../store/graph-model.ts';
import type { WalkOptions } from '../../graph/walk.ts';
import type { EngineContext } from '../context.ts';
import {
  audienceOf,
  hiddenSources,
  sourcesOfNamespace,
  type Audience,
} from '../reading/configured/source-policies.ts';

/** What a request about the graph may see. */
export interface GraphScope {
  readonly project?: string;
  /** Asks to follow edges into other projects. The settings decide whether it may, and which types. */
  readonly allow_cross_project?: boolean;
  /** `context` hides what the settings keep out of a model's context, whoever asks. By the caller unless given. */
  readonly audience?: Audience;
}

/** @throws LociError `forbidden` while the settings switch the graph off */
export function assertGraphIsOn({ config }: EngineContext): void {
  if (config.graph.enabled) return;
  throw new LociError('forbidden', 'the graph is switched off', { hint: 'Set graph.enabled to true.' });
}

export async function graphFilter(
  context: EngineContext,
  { project, audience = audienceOf(context.caller, {}) }: GraphScope,
): Promise<GraphFilter> {
  const { vaults, sources } = await sourcesOfNamespace(context);
  const excludedSources = hiddenSources(vaults, sources, audience);
  return {
    ...(excludedSources.length > 0 && { excludedSources }),
    ...(project !== undefined && { project }),
  };
}

/** The types of edges that a request may follow into other projects. */
export function crossProjectTypes(
  { config: { graph } }: EngineContext,
  { allow_cross_project = false }: GraphScope,
): readonly EdgeType[] {
  return allow_cross_project && graph.crossProject ? graph.crossProjectTypes : [];
}

export async function walkOptions(context: EngineContext, scope: GraphScope): Promise<WalkOptions> {
  const { graph, namespace } = context;
  const filter = await graphFilter(context, scope);
  return {
    ...{ graph, namespace, filter },
    crossProjectTypes: crossProjectTypes(context, scope),
  };
}
