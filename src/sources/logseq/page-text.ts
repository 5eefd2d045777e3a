import type { Json, Metadata } from '../../core/types.ts';

/** A page of a Logseq graph as it is stored, and what its hidden lines say. */
export interface PageText {
  /** As in the file, with empty lines in place of what Logseq does not show. */
  readonly content: string;
  /** The properties of the page. */
  readonly properties: Metadata;
  readonly blockIds: readonly string[];
}

const UUID = String.raw`[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}`;
const FENCE = /^\s*(?:[-*+]\s+)?(`{3,}|~{3,})/;
const BULLET = /^(\s*[-*+])(?:\s|$)/;
const PROPERTY = /^\s*(?:[-*+]\s+)?([\p{L}\p{N}][\p{L}\p{N}_./-]{0,100})::(?:[ \t]+(.*))?$/u;
/** Properties that Logseq writes and does not show. */
const HIDDEN =
  /^\s*(?:[-*+]\s+)?(?:id|collapsed|heading|background-color|logseq\.[\w.-]+|card-[\w-]+|hl-(?:type|color|stamp|page)|ls-type)::(?:\s|$)/;
const BLOCK_ID = new RegExp(String.raw`^\s*(?:[-*+]\s+)?id::\s+(${UUID})\s*$`, 'i');
/** Longer values are cut. */
const MAX_VALUE = 2000;
const MAX_PROPERTIES = 200;
/** A name in a list of names: `[[A, B]], c, #d`. */
const LISTED_NAME = /#?\[\[([^[\]]+)\]\]|[^,\s][^,]*/g;
const NAME_LISTS: ReadonlySet<string> = new Set(['alias', 'aliases', 'tags', 'tag']);

/** Reads a page line by line, in time in proportion to its length. Its line numbers stay. */
export function readPageText(text: string): PageText {
  const blockIds: string[] = [];
  const properties = new Map<string, Json>();
  const lines = text.split('\n');
  let fence: string | null = null;
  let isFirstBlock = true;
  /** Where the drawer begins that no line has closed yet. */
  let drawer: number | null = null;
  for (const [i, line] of lines.entries()) {
    const marks = FENCE.exec(line)?.[1];
    if (fence !== null || marks !== undefined) {
      if (fence === null) fence = marks!;
      else if (marks?.startsWith(fence) === true) fence = null;
      [isFirstBlock, drawer] = [false, null];
      continue;
    }
    if (/^\s*:LOGBOOK:\s*$/i.test(line)) drawer = i;
    else if (BULLET.test(line)) drawer = null;
    else if (drawer !== null && /^\s*:END:\s*$/i.test(line)) {
      lines.fill('', drawer, i + 1);
      drawer = null;
    }
    const id = BLOCK_ID.exec(line)?.[1];
    if (id !== undefined) blockIds.push(id.toLowerCase());
    if (HIDDEN.test(line)) lines[i] = BULLET.exec(line)?.[1] ?? '';
    else if (isFirstBlock) {
      // The first block may be a bullet of properties. The next one is another block.
      const isNext = properties.size > 0 && BULLET.test(line);
      const [, name, value = ''] = isNext ? [] : (PROPERTY.exec(line) ?? []);
      if (name !== undefined && properties.size < MAX_PROPERTIES) properties.set(name, valueOf(name, value));
      isFirstBlock = name !== undefined || (line.trim() === '' && properties.size === 0);
    }
  }
  return { content: lines.join('\n'), properties: Object.fromEntries(properties), blockIds };
}

function valueOf(name: string, value: string): Json {
  const text = value.trim().slice(0, MAX_VALUE).toWellFormed();
  if (!NAME_LISTS.has(name.toLowerCase())) return text;
  return Array.from(text.matchAll(LISTED_NAME), ([all, page]) => (page ?? all).trim()).filter(
    (each) => each !== '',
  );
}

const REFERENCE = new RegExp(
  String.raw`\{\{embed\s{1,9}(?:(\[\[[^[\]\n]{1,300}\]\])|\(\((${UUID})\)\))\s{0,9}\}\}|\(\((${UUID})\)\)|\[#[ABC]\]`,
  'gi',
);

/**
 * A text with references to blocks and embeds of Logseq as wikilinks, which have the block in double parentheses as target, and without
 * priorities of tasks: `[#A]` has no tag.
 */
export function withWikilinks(text: string): string {
  return text.replaceAll(REFERENCE, (_, page?: string, embedded?: string, block?: string) => {
    if (page !== undefined) return `!${page}`;
    if (embedded === undefined && block === undefined) return '';
    return embedded === undefined ? `[[((${block!.toLowerCase()}))]]` : `![[((${embedded.toLowerCase()}))]]`;
  });
}

/**
 * An outline with two spaces for each tab of its indentation, and the same lines. Markdown would take bullets below a line without a
 * bullet for code.
 */
export function withSpaces(text: string): string {
  return text.replaceAll(/^\t+/gm, (tabs) => '  '.repeat(tabs.length));
}

const TASK =
  /^(\s*[-*+][ \t]+(?:#{1,6}[ \t]+)?)(TODO|DOING|NOW|LATER|WAITING|WAIT|IN-PROGRESS|DONE|CANCELED|CANCELLED)[ \t]+(?=\S)/;
const STATES: Readonly<Record<string, string>> = { DONE: 'x', CANCELED: '-', CANCELLED: '-' };
const PLANNED = /\b(SCHEDULED|DEADLINE):[ \t]{0,9}<(\d{4}-\d{2}-\d{2})[^<>\n]{0,60}>/g;

/** A line with its task and dates as the plugin Tasks of Obsidian writes them: `- [ ] Water the roses 📅 2024-05-02`. */
export function withCheckbox(line: string): string {
  return line
    .replace(
      TASK,
      (_, bullet: string, state: string) => `${bullet.replace(/#+[ \t]+$/, '')}[${STATES[state] ?? ' '}] `,
    )
    .replaceAll(PLANNED, (_, kind: string, day: string) => `${kind === 'DEADLINE' ? '📅' : '⏳'} ${day}`);
}

/** The day of the deadline on a line below a task. */
export function deadlineIn(line: string): string | null {
  return /\bDEADLINE:[ \t]{0,9}<(\d{4}-\d{2}-\d{2})/.exec(line)?.[1] ?? null;
}

export function startsBlock(line: string): boolean {
  return BULLET.test(line);
}
