import type { Span } from '../text/span.ts';
import type { Section } from './cut.ts';

/** A note that another note shows at some place: `![[Note#Heading]]`. */
export interface Embed {
  /** The record that shows it, and where: UTF-16 code units of its content. */
  readonly host: number;
  readonly offset: number;
  /** The record that is shown. */
  readonly record: number;
  /** The path of headings as written; the whole note unless this or `block` is given. */
  readonly heading?: string;
  /** The id of a block, without `^`. */
  readonly block?: string;
}

/** Of a whole note that is embedded, as much is shown as a section has. UTF-16 code units. */
const MAX_EMBEDDED = 1400;

/** The positions of the sections that an embed shows; none if the note has no such heading or block. */
export function embeddedSections(
  content: string,
  sections: readonly Section[],
  { heading, block }: Pick<Embed, 'heading' | 'block'>,
): number[] {
  const all = [...sections.keys()];
  if (block !== undefined) {
    const mark = `^${block}`;
    return all.filter((i) => wordsOf(content, sections[i]!).includes(mark)).slice(0, 1);
  }
  if (heading === undefined) return leading(sections, all);
  const name = fold(heading.split('#').at(-1)!);
  const below = all.filter((i) =>
    sections[i]!.headings.some(({ start, end }) => fold(content.slice(start, end)) === name),
  );
  return leading(sections, below);
}

function leading(sections: readonly Section[], among: readonly number[]): number[] {
  let length = 0;
  return among.filter((i, position) => {
    length += sections[i]!.end - sections[i]!.start;
    return position === 0 || length <= MAX_EMBEDDED;
  });
}

function wordsOf(content: string, { start, end }: Span): string[] {
  return content.slice(start, end).split(/\s+/);
}

/** A heading as links name it: without its marks, in any case, with single spaces. */
function fold(heading: string): string {
  return heading
    .replace(/^[#\s]+/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
