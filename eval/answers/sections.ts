import { readOutline } from '../../src/ingest/markdown-blocks.ts';

/** A part of a note from one heading to the next, or a part of such a part. */
export interface Section {
  /** Of the note. */
  readonly path: string;
  /** Headings from the outermost down to its own; none before the first. */
  readonly headings: readonly string[];
  readonly text: string;
  /** From 1, inclusive. */
  readonly lines: { readonly from: number; readonly to: number };
}

/** Longer sections are cut at blank lines. UTF-16 code units. */
const MAX_SECTION = 1400;

/** The sections of a note, from heading to heading, without empty ones. */
export function sectionsOf(path: string, content: string): Section[] {
  const lines = content.split('\n');
  const outline = readOutline(content);
  const starts = [{ from: 1, path: [] as readonly string[] }, ...outline];
  return starts.flatMap(({ from, path: headings }, i) => {
    const to = (starts[i + 1]?.from ?? lines.length + 1) - 1;
    const text = lines.slice(from - 1, to).join('\n');
    return text.trim() === '' ? [] : [{ path, headings, text, lines: { from, to } }];
  });
}

/** The section in pieces of at most 1,400 characters, unless a paragraph is longer. */
export function cutSection(section: Section): Section[] {
  const pieces: string[] = [];
  for (const paragraph of section.text.split(/\n[ \t]*\n/)) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + paragraph.length + 2 <= MAX_SECTION)
      pieces[pieces.length - 1] = `${last}\n\n${paragraph}`;
    else pieces.push(paragraph);
  }
  return pieces.map((text) => ({ ...section, text }));
}

/** What a reader sees of a section: where it is from, and its text. */
export function shownSection({ path, headings, text }: Section): string {
  return `${[path, ...headings].join(' › ')}\n${text}`;
}
