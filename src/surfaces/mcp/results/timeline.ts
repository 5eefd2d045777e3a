import type { TimelineOutput } from '../../../operations/records/timeline.ts';
import { timelineText, type TimelineLine } from '../../../pack/timeline-text.ts';
import type { ModelResult, OperationResult } from './model-result.ts';

type Entry = TimelineOutput['entries'][number];

/** One text, since the names of fields would take more than the records: its tokens were counted. */
export const timelineResult: OperationResult = {
  resultOf: (output: TimelineOutput): ModelResult => {
    const text = resultText(output);
    return { fields: { text }, text, writtenBy: 'fenced' };
  },
  types: { text: 'string' },
};

/** The text whose tokens the engine has counted. */
function resultText({ entries, more_before, more_after }: TimelineOutput): string {
  const at = (position: Entry['position']): TimelineLine[] =>
    entries.filter((entry) => entry.position === position).map(lineOf);
  return timelineText({
    before: at('before').toReversed(),
    anchor: at('anchor')[0] ?? null,
    after: at('after'),
    moreBefore: more_before,
    moreAfter: more_after,
  });
}

function lineOf({ when, title, origin, source, citation }: Entry): TimelineLine {
  return { when, title, from: origin === 'source' ? source : null, citation };
}
