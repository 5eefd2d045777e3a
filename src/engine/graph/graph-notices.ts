import { isTextCurrent } from '../../graph/build/derive.ts';
import { commonTags } from '../../graph/walk.ts';
import type { ReceiptLane } from '../../pack/receipt.ts';
import type { EngineContext } from '../context.ts';
import { findNodes } from './find-nodes.ts';
import { graphFilter, type GraphScope } from './graph-view.ts';

export interface NoticeRequest extends GraphScope {
  /** The nodes that a request names. */
  readonly names?: readonly string[];
  /** False if the graph failed or was late. Its state is not read then, because that may fail or take as long. */
  readonly hasAnswered?: boolean;
}

const BEHIND =
  'the graph does not have the last changes yet: ask again in a minute, or search for them; graph_status (`loci graph status`) says ' +
  '`current` when it has everything, and `loci status` how far it is';

/**
 * Sentences about why a request on the graph leads to less than its caller may expect: a setting keeps it within a project, a tag that
 * it names is too common, or the graph does not have all records yet. The last follows from the state of the store and not from the time
 * that the request took.
 */
export async function graphNotices(context: EngineContext, request: NoticeRequest): Promise<string[]> {
  const withoutEffect = crossProjectNotice(context, request);
  const { hasAnswered = true } = request;
  return [
    ...(withoutEffect === null ? [] : [withoutEffect]),
    ...(hasAnswered && (await isBehind(context)) ? [BEHIND] : []),
    ...(await commonTagNotices(context, request)),
  ];
}

/** Why a text may have less of the graph than its caller expects, and what to do about it. */
export async function graphGaps(
  context: EngineContext,
  lanes: readonly ReceiptLane[],
  request: NoticeRequest,
): Promise<string[]> {
  const gaps = lanes.flatMap((lane) => (lane.name === 'graph' ? gapOf(lane) : []));
  return [...gaps, ...(await graphNotices(context, { ...request, hasAnswered: gaps.length === 0 }))];
}

function gapOf({ status, failure }: ReceiptLane): string[] {
  if (status === 'late')
    return ['nothing of the graph is in the text, because it took longer than graph.deadline: ask once more'];
  if (status !== 'failed') return [];
  // Nothing is read from a graph before it has had all records once.
  return failure === 'store_busy'
    ? [
        'nothing of the graph is in the text, because it is being built: ask again in a minute; ' +
          'graph_status (`loci graph status`) shows whether it is',
      ]
    : [
        `nothing of the graph is in the text, because it failed (${String(failure)}): tell the user to run \`loci doctor\``,
      ];
}

async function isBehind({ store: { graph }, namespace, config }: EngineContext): Promise<boolean> {
  return config.graph.enabled && !isTextCurrent(await graph.state(namespace), config.graph.types);
}

function crossProjectNotice(
  { config: { graph } }: EngineContext,
  { allow_cross_project = false }: GraphScope,
): string | null {
  if (!allow_cross_project) return null;
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
  const filter = await graphFilter(context, scope);
  const { nodes } = await findNodes(context, tags, filter);
  const common = await commonTags(context, nodes);
  return nodes.flatMap(({ id, title }) => {
    const counts = common.get(id);
    if (counts === undefined) return [];
    // The numbers include records of sources that the caller may not see.
    const numbers = `: ${String(counts.tagged)} of ${String(counts.records)} records of the project have it`;
    return `#${title} is too common to follow${filter.excludedSources === undefined ? numbers : ''}`;
  });
}
