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

/** Finds the sections of a record that embeds show. It reads the record once, however many embeds there are. */
export class EmbeddedSections {
  readonly #sections: readonly Section[];
  readonly #byHeading = new Map<string, number[]>();
  readonly #byBlock = new Map<string, number>();

  constructor(content: string, sections: readonly Section[]) {
    this.#sections = sections;
    for (const [i, section] of sections.entries()) {
      for (const { start, end } of section.headings) {
        const name = fold(content.slice(start, end));
        const below = this.#byHeading.get(name);
        if (below === undefined) this.#byHeading.set(name, [i]);
        else if (below.at(-1) !== i) below.push(i);
      }
      for (const [, block] of content.slice(section.start, section.end).matchAll(BLOCK_MARK))
        if (!this.#byBlock.has(block!)) this.#byBlock.set(block!, i);
    }
  }

  /** The positions of the sections that an embed shows; none if the note has no such heading or block. */
  of({ heading, block }: Pick<Embed, 'heading' | 'block'>): number[] {
    if (block !== undefined) {
      const found = this.#byBlock.get(block);
      return found === undefined ? [] : [found];
    }
    const among =
      heading === undefined
        ? this.#sections.keys()
        : (this.#byHeading.get(fold(heading.split('#').at(-1)!)) ?? []);
    const shown: number[] = [];
    let length = 0;
    for (const i of among) {
      length += this.#sections[i]!.end - this.#sections[i]!.start;
      if (shown.length > 0 && length > MAX_EMBEDDED) break;
      shown.push(i);
    }
    return shown;
  }
}

/** The id of a block, at the end of its line. */
const BLOCK_MARK = /(?<=^|\s)\^([\p{L}\p{N}-]+)(?=\s|$)/gu;

/** A heading as links name it: without its marks, in any case, with single spaces. */
function fold(heading: string): string {
  return heading
    .replace(/^[#\s]+/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
