import { graphNotices, type NoticeRequest } from '../../engine/graph/graph-notices.ts';
import type { ReceiptLane } from '../../pack/receipt.ts';
import type { EngineContext } from '../../engine/context.ts';

/** Why a text may have less of the graph than its caller expects, and what to do about it. */
export async function graphGaps(
  loci: EngineContext,
  lanes: readonly ReceiptLane[],
  request: NoticeRequest,
): Promise<string[]> {
  const gaps = lanes.flatMap((lane) => (lane.name === 'graph' ? gapOf(lane) : []));
  return [...gaps, ...(await graphNotices(loci, { ...request, hasAnswered: gaps.length === 0 }))];
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
