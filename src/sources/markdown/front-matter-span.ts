/** Finds the YAML front matter of a note without parsing it, so that the code that cuts passages needs no YAML parser. */

interface FrontMatterSpan {
  /** The YAML between the two fences: offsets into the content. */
  readonly yamlStart: number;
  readonly yamlEnd: number;
  /** Offset of the first character after the closing fence's line. */
  readonly bodyStart: number;
}

/** Longer front matter counts as text: people do not write it, and a hostile one takes a YAML parser seconds. In UTF-16 units. */
const MAX_FRONT_MATTER = 32_768;

const OPENING = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?$/gm;
/** `key:` or `"quoted key":`, with a value after a space or on the next lines. */
const FIRST_KEY = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:#>|&*!%@`[\]{}][^:\n]*):(?:[ \t\r]|$)/;

/**
 * The front matter of `content`, or `null`. As in Obsidian, it must open on the very first line and be closed by `---`. Its
 * first line that is neither empty nor a comment must be a key, because text between two thematic breaks is text.
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
  // The limit may have cut a longer line so that its beginning looks like a fence.
  if (afterFence < content.length && content[afterFence] !== '\n') return null;
  return { yamlStart, yamlEnd: closing.index, bodyStart: Math.min(afterFence + 1, content.length) };
}

/** Whether a note begins like front matter that is not closed: `---`, then `key:`. It is read as text. */
export function isUnclosedFrontMatter(content: string): boolean {
  const head = content.slice(0, MAX_FRONT_MATTER);
  const opening = OPENING.exec(head);
  if (opening === null) return false;
  CLOSING.lastIndex = opening[0].length;
  const [firstLine = ''] = head.slice(opening[0].length).split('\n', 1);
  return CLOSING.exec(head) === null && FIRST_KEY.test(firstLine.trimEnd());
}

function startsWithKey(yaml: string): boolean {
  for (const line of yaml.split('\n')) {
    const text = line.trimEnd();
    if (text === '' || text.startsWith('#')) continue;
    return FIRST_KEY.test(text);
  }
  return true;
}
