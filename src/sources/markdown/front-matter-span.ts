/** Where a note's YAML front matter stands. Pure text work, so that whoever cuts passages need not parse YAML. */

export interface FrontMatterSpan {
  /** The YAML between the two fences: offsets into the content. */
  readonly yamlStart: number;
  readonly yamlEnd: number;
  /** Offset of the first character after the closing fence's line. */
  readonly bodyStart: number;
}

/** Longer front matter is text: no one writes it, and a YAML parser takes seconds over a hostile one. In UTF-16 units. */
const MAX_FRONT_MATTER = 32_768;

const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?$/gm;
/** `key:` or `"quoted key":`, with a value after a space or on the next lines. */
const FIRST_KEY = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:#>|&*!%@`[\]{}][^:\n]*):(?:[ \t\r]|$)/;

/**
 * The front matter of `content`, or `null`. As in Obsidian it must open on the very first line and be closed
 * by `---`; its first line that says anything must be a key, because text between two thematic breaks is text.
 */
export function frontMatterSpan(content: string): FrontMatterSpan | null {
  const head = content.slice(0, MAX_FRONT_MATTER);
  const opening = OPENING.exec(head);
  if (opening === null) return null;
  const yamlStart = opening[0].length;
  CLOSING.lastIndex = yamlStart;
  const closing = CLOSING.exec(head);
  if (closing === null || !startsWithKey(head.slice(yamlStart, closing.index))) return null;
  const afterFence = closing.index + closing[0].length;
  // The cut may have made a fence of a longer line's beginning.
  if (afterFence < content.length && content[afterFence] !== '\n') return null;
  return { yamlStart, yamlEnd: closing.index, bodyStart: Math.min(afterFence + 1, content.length) };
}

function startsWithKey(yaml: string): boolean {
  for (const line of yaml.split('\n')) {
    const text = line.trimEnd();
    if (text === '' || text.startsWith('#')) continue;
    return FIRST_KEY.test(text);
  }
  return true;
}
