import { commonTags } from '../../graph/walk.ts';
import type { EngineContext } from '../context.ts';
import { findNodes } from './find-nodes.ts';
import { graphFilter, type GraphScope } from './graph-view.ts';

export interface NoticeRequest extends GraphScope {
  /** The nodes that a request names. */
  readonly names?: readonly string[];
}

/**
 * Sentences about why a request on the graph leads to less than its caller may expect: a setting keeps it within a project, or a tag
 * that it names is too common.
 */
export async function graphNotices(context: EngineContext, request: NoticeRequest): Promise<string[]> {
  const withoutEffect = crossProjectNotice(context, request);
  return [...(withoutEffect === null ? [] : [withoutEffect]), ...(await commonTagNotices(context, request))];
}

function crossProjectNotice(
  { config: { graph } }: EngineContext,
  { allowCrossProject = false }: GraphScope,
): string | null {
  if (!allowCrossProject) return null;
  const reasons = [
    ...(graph.crossProject ? [] : ['graph.crossProject is false']),
    ...(graph.crossProjectTypes.length > 0 ? [] : ['graph.crossProjectTypes is empty']),
  ];
  if (reasons.length === 0) return null;
  return `allow_cross_project (--allow-cross-project) has no effect, because the settings do not allow it: ${reasons.join(' and ')}`;
}

async function commonTagNotices(
  context: EngineContext,
  { names = [], ...scope }: NoticeRequest,
): Promise<string[]> {
  const tags = names.filter((name) => name.trim().startsWith('#'));
  if (tags.length === 0) return [];
  const { store, namespace } = context;
  const filter = await graphFilter(context, scope);
  const { nodes } = await findNodes(context, tags, filter);
  const concepts = nodes.filter(({ type, record }) => type === 'concept' && record === null);
  const common = await commonTags({ graph: store.graph, namespace }, concepts);
  return concepts.flatMap(({ id, title }) => {
    const counts = common.get(id);
    if (counts === undefined) return [];
    // The numbers include records of sources that the caller may not see.
    const numbers = `: ${String(counts.tagged)} of ${String(counts.records)} records of the project have it`;
    return `#${title} is too common to follow${filter.excludedSources === undefined ? numbers : ''}`;
  });
}
