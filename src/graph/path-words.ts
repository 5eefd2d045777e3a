import type { EdgeType } from '../core/graph-types.ts';
import type { Step } from './walk.ts';

/** How the end of a step belongs to its beginning: along the edge, and against it. */
const WORDS: Readonly<Record<EdgeType, readonly [along: string, against: string]>> = {
  links_to: ['linked from', 'links to'],
  embeds: ['embedded in', 'embeds'],
  mentions: ['mentioned in', 'mentions'],
  tagged: ['a tag of', 'tagged with'],
  part_of: ['has a part in', 'part of'],
  similar_to: ['similar to', 'similar to'],
  supersedes: ['superseded by', 'supersedes'],
  same_as: ['the same as', 'the same as'],
  derived_from: ['source of', 'derived from'],
};

/**
 * How a path leads to its end, without words of a record: `linked from Quotes.md#L3-L3`, or `similar to Oven.md, itself linked from
 * Quotes.md#L3-L3`. Unlike `describePath`, it can stand where titles and headings must be masked.
 * @param nameOf the citation of the beginning of a step; for a link, of the lines that have it. `null` for what is no record
 */
export function pathWords(path: readonly Step[], nameOf: (step: Step) => string | null): string {
  const parts: string[] = [];
  // From the end, because it is what the words are about.
  for (let i = path.length - 1; i >= 0; i--) {
    const step = path[i]!;
    const name = nameOf(step);
    const before = path[i - 1];
    const crossing = step.from.project === step.to.project ? '' : ' (in another project)';
    if (name === null && before !== undefined) {
      // Two records share a tag: one step leads to it, the next away from it.
      parts.push(`${sharedWord(step)} ${nameOf(before) ?? 'a node'}${crossing}`);
      i--;
      continue;
    }
    parts.push(`${WORDS[step.edge.type][step.forwards ? 0 : 1]} ${name ?? 'what was asked for'}${crossing}`);
  }
  return parts.join(', itself ');
}

function sharedWord({ edge: { type } }: Step): string {
  return type === 'tagged' ? 'has a tag of' : 'connected with';
}
