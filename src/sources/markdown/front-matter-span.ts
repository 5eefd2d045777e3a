/** Finds the front matter of a note without parsing it, so that the code that cuts passages needs no YAML parser. */

interface FrontMatterSpan {
  /** The YAML, or JSON, which is YAML too, or TOML between the two fences: offsets into the content. */
  readonly yamlStart: number;
  readonly yamlEnd: number;
  /** The line of `yamlStart`, from 1. */
  readonly firstLine: number;
  readonly isToml: boolean;
  /** Offset of the first character after the closing fence's line. */
  readonly bodyStart: number;
}

/** Longer front matter counts as text: people do not write it, and a hostile one takes a YAML parser seconds. In UTF-16 units. */
const MAX_FRONT_MATTER = 32_768;

const OPENING = /^\uFEFF?---(?:ya?ml)?[ \t]*\r?\n/i;
const TOML = /^\uFEFF?\+{3}[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*\r?$/gm;
/** `key:` or `"quoted key":`, with a value after a space or on the next lines. All keys may be indented. */
const FIRST_KEY = /^[ \t]*(?:"[^"\n]*"|'[^'\n]*'|[^\s:#>|&*!%@`[\]{}][^:\n]*):(?:[ \t\r]|$)/;
/** `{`, alone or with the first key of JSON. */
const JSON_OPENING = /^[ \t]*\{[ \t]*(?:"[^"\n]*"[ \t]*:|\}?[ \t\r]*$)/;
const FIRST_LINE = new RegExp(`${FIRST_KEY.source}|${JSON_OPENING.source}`);

interface Form {
  readonly opening: RegExp;
  readonly closing: RegExp;
  /** Must match the first line that is neither empty nor a comment. Otherwise the text between two thematic breaks is text. */
  readonly first: RegExp;
  /** Whether the fences belong to the JSON. */
  readonly included: boolean;
}

/** Obsidian reads YAML and JSON. Other programs write TOML, or JSON, marked as such, or in braces that begin and end a line. */
const FORMS: readonly Form[] = [
  { opening: OPENING, closing: CLOSING, first: FIRST_LINE, included: false },
  { opening: /^\uFEFF?---json[ \t]*\r?\n/i, closing: CLOSING, first: /^\s*\{/, included: false },
  { opening: /^\uFEFF?;;;[ \t]*\r?\n/, closing: /^;;;[ \t]*\r?$/gm, first: /^\s*\{/, included: false },
  { opening: TOML, closing: /^\+{3}[ \t]*\r?$/gm, first: /^\s*(?:[\w."'-]+\s*=|\[)/, included: false },
  {
    opening: /^\uFEFF?\{[ \t]*\r?\n/,
    closing: /^\}[ \t]*\r?$/gm,
    first: /^[ \t]*"[^"\n]*"[ \t]*:/,
    included: true,
  },
];

/**
 * The front matter of `content`, or `null`. As in Obsidian, it must open on the very first line and be closed by the same fence.
 */
export function frontMatterSpan(content: string): FrontMatterSpan | null {
  const head = content.slice(0, MAX_FRONT_MATTER);
  for (const { opening, closing, first, included } of FORMS) {
    const open = opening.exec(head)?.[0];
    if (open === undefined) continue;
    closing.lastIndex = open.length;
    const close = closing.exec(head);
    if (close === null || !beginsWith(first, head.slice(open.length, close.index))) return null;
    const afterFence = close.index + close[0].length;
    // The limit may have cut a longer line so that its beginning looks like a fence.
    if (afterFence < content.length && content[afterFence] !== '\n') return null;
    return {
      yamlStart: included ? open.indexOf('{') : open.length,
      yamlEnd: included ? close.index + 1 : close.index,
      firstLine: included ? 1 : 2,
      isToml: opening === TOML,
      bodyStart: Math.min(afterFence + 1, content.length),
    };
  }
  return null;
}

/** Whether a note begins like front matter that is not closed: `---`, then `key:` or JSON. It is read as text. */
export function isUnclosedFrontMatter(content: string): boolean {
  const head = content.slice(0, MAX_FRONT_MATTER);
  const opening = OPENING.exec(head);
  if (opening === null) return false;
  CLOSING.lastIndex = opening[0].length;
  const [firstLine = ''] = head.slice(opening[0].length).split('\n', 1);
  return CLOSING.exec(head) === null && FIRST_LINE.test(firstLine.trimEnd());
}

function beginsWith(first: RegExp, yaml: string): boolean {
  for (const line of yaml.split('\n')) {
    const text = line.trimEnd();
    if (text === '' || text.startsWith('#')) continue;
    return first.test(text);
  }
  return true;
}
