import { sha256 } from '../../core/ids.ts';
import type { ThreadTask } from '../../core/threads/task-thread.ts';
import { workerModule } from '../../core/threads/worker-module.ts';
import { frontMatterSpan } from '../../sources/markdown/front-matter-span.ts';
import { deadlineIn, startsBlock, withCheckbox, withWikilinks } from '../../sources/logseq/page-text.ts';
import { headingTitle } from '../../sources/markdown/plain-text.ts';
import { linkSpans, linkDefinitions, type References } from '../../sources/markdown/scan-links.ts';
import { type Statement, statementOfProperty } from '../../sources/markdown/statement-property.ts';
import type { TaskState } from '../../store/graph-model.ts';

/** The words directly before a link, anywhere in a line. */
const PHRASES: readonly (readonly [RegExp, Statement])[] = [
  [/\bsupersedes:{0,2}$/i, 'supersedes'],
  [/\bsuperseded by:{0,2}$/i, 'superseded_by'],
  [/\bderived from:{0,2}$/i, 'derived_from'],
];
/** A sentence may say that one oven replaces another one. Only as a label at the beginning of a line do these words speak of the note. */
const LABELS: readonly (readonly [RegExp, Statement])[] = [
  [/^(?:this (?:note|document|decision|page) )?(?:replaces|obsoletes|ersetzt):{0,2}$/i, 'supersedes'],
  [/^(?:this (?:note|document|decision|page) is )?(?:replaced|obsoleted) by:{0,2}$/i, 'superseded_by'],
  [/^(?:ersetzt durch|abgel\u00F6st durch):{0,2}$/i, 'superseded_by'],
  [/^(?:based on|abgeleitet von):{0,2}$/i, 'derived_from'],
];
/** Longer text before a link has the words at its end. UTF-16 code units. */
const MAX_LENGTH = 120;

/** What the words before a link say about its target. @param property the property that has the link; `null` in the text */
function statementBefore(before: string, property: string | null): Statement | null {
  if (property !== null) return statementOfProperty(property);
  const isWhole = before.length <= MAX_LENGTH;
  const words = before
    .slice(-MAX_LENGTH)
    .replace(/[*_>]/g, '')
    .replace(/^[ \t]*(?:[-+][ \t]+)?/, '')
    .trim()
    .replace(/\s+/g, ' ');
  const all = isWhole ? [...PHRASES, ...LABELS] : PHRASES;
  return all.find(([pattern]) => pattern.test(words))?.[1] ?? null;
}

/** A task of a note: `- [ ] Call the plumber 📅 2026-11-25`. */
interface Task extends TaskState {
  /** As a reader sees it, without the fields of the plugins Tasks, Dataview, Kanban and Reminder. */
  readonly title: string;
  /** Without `^`. */
  readonly blockId: string | null;
}

/**
 * The states that most themes and plugins agree on: in progress, forwarded, scheduled and important are open; a cancelled task is
 * done with. Others, such as `["]` and `[i]`, mark quotes and remarks. The text is bounded, because the expressions below look at
 * all of it.
 */
const TASK = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX/<>!-])\][ \t]+(\S.{0,2000})/;
const CLOSED = /[xX-]/;

/** A day, alone, with a time, or as a link to the note of that day. */
const DATE = String.raw`\d{4}-\d{2}-\d{2}`;
const LINKED_DAY = String.raw`\[\[[^[\]]{0,100}${DATE}[^[\]]{0,100}\]\]`;
const DAY = String.raw`(?:${DATE}(?:T[\d:.]{4,12}Z?)?|${LINKED_DAY}|\[[^[\]]{1,100}\]\([^()\s]{0,100}${DATE}[^()\s]{0,100}\))`;
const KEYS =
  'due|scheduled|start|created|completion|cancelled|priority|repeat|id|dependsOn|onCompletion|reminder';

/** The fields of tasks as plugins write them, anywhere in the text. Named groups have the day on which the task is due. */
const FIELDS = new RegExp(
  [
    String.raw`[\u{1F4C5}\u{1F4C6}\u{1F5D3}]\uFE0F?[ \t]*(?<emoji>${DAY})`,
    String.raw`[\u23F3\u231B\u{1F6EB}\u2795\u2705\u274C\u23F0]\uFE0F?[ \t]*${DAY}(?:[ \t]+\d{1,2}:\d{2})?`,
    String.raw`[\u{1F53A}\u23EB\u{1F53C}\u{1F53D}\u23EC]\uFE0F?`,
    String.raw`\u{1F501}\uFE0F?[ \t]*every[a-z\d, !]*`,
    String.raw`\u{1F194}\uFE0F?[ \t]*[\w-]+|\u26D4\uFE0F?[ \t]*[\w-]+(?:,[ \t]*[\w-]+)*|\u{1F3C1}\uFE0F?[ \t]*(?:keep|delete)\b`,
    String.raw`[[(][ \t]*(?:due)[ \t]*::[ \t]*(?<field>${DAY})[ \t]*[\])]`,
    String.raw`[[(][ \t]*(?:${KEYS})[ \t]*::(?:[^[\]()\n]|\[\[[^[\]\n]{1,200}\]\]){0,200}[\])]`,
    String.raw`@(?:\{(?<card>${DAY})\}|(?<link>${LINKED_DAY}))(?:[ \t]*@@\{[^{}\n]{1,20}\})?`,
    String.raw`\(@(?<reminder>${DAY})(?:[ \t]+\d{1,2}:\d{2})?\)`,
  ].join('|'),
  'giu',
);
/** In words, and as todo.txt and Dataview write it without brackets. */
const DUE_IN_WORDS =
  /[[(]?(?:\b(?:due|deadline)(?:::?|[ \t]+(?:on|by))?|@due\(|\bfällig(?:[ \t]+am|:)?|\bbis|截止|期限)[ :：]{0,3}(\d{4}-\d{2}-\d{2})[\])]?/iu;
const BLOCK_ID = /[ \t]\^([A-Za-z0-9-]{1,100})[ \t]*$/;

/** The task in a line of a note; `null` if it has none. */
export function taskIn(line: string): Task | null {
  const match = TASK.exec(line);
  if (match === null) return null;
  const text = match[2]!;
  const body = text.replace(BLOCK_ID, '');
  const days = [...body.matchAll(FIELDS)].flatMap(({ groups = {} }) =>
    Object.values(groups).flatMap((value: string | undefined) => dayIn(value ?? '') ?? []),
  );
  const plain = body.replaceAll(FIELDS, ' ');
  const inWords = DUE_IN_WORDS.exec(plain);
  const title = headingTitle(plain.replace(inWords?.[0] ?? '', ' '));
  // A text of fields alone is a task all the same.
  const shown = title === '' ? headingTitle(body) : title;
  if (shown === '') return null;
  return {
    title: shown,
    done: CLOSED.test(match[1]!),
    due: days[0] ?? dayIn(inWords?.[1] ?? ''),
    blockId: BLOCK_ID.exec(text)?.[1] ?? null,
  };
}

/** The day that a date or the link to the note of a day names; `null` if the calendar lacks it, as the 30th of February. */
function dayIn(text: string): string | null {
  const day = /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/.exec(text)?.[0] ?? '';
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : null;
}

/** A line of a record, and what is said about it in reasons and provenance. */
export interface Place {
  /** From 1. */
  readonly line: number;
  /** The heading above the line; `null` if there is none, or in the front matter. */
  readonly heading: string | null;
  readonly inFrontMatter: boolean;
  /** SHA-256 of the line. */
  readonly hash: string;
}

/** Where a text links to a target for the first time. */
export interface LinkPlace extends Place {
  readonly target: string;
  readonly embed: boolean;
  /** How often the text links to it. */
  readonly count: number;
}

export interface LocatedTask extends Place, Task {}

/** Words of a text that say how it is related to the target of a link. */
interface StatementPlace extends Place {
  readonly target: string;
  readonly statement: Statement;
}

/** Where the links, tasks and statements of a text are. */
export interface NoteOutline {
  readonly links: readonly LinkPlace[];
  readonly tasks: readonly LocatedTask[];
  readonly statements: readonly StatementPlace[];
}

/** A generated list may have more; they are in no graph. */
const MAX_TASKS = 1000;
const FENCE = /^[ \t>]*(?:[-*+][ \t]+)?(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;

/** A text of a record. */
export interface OutlinedText {
  readonly content: string;
  /** Whether it is a page of a Logseq graph, which has tasks, embeds and references to blocks of its own. */
  readonly isLogseq: boolean;
}

/**
 * Reads a text line by line, in time in proportion to its length. The links themselves are those that the parser of notes found;
 * this only finds their lines, so that it may see more than there are.
 */
export function noteOutline(content: string, isLogseq = false): NoteOutline {
  const scan = new OutlineScan(linkDefinitions(content), isLogseq);
  const bodyStart = frontMatterSpan(content)?.bodyStart ?? 0;
  let line = 0;
  for (let start = 0; start < content.length;) {
    const end = content.indexOf('\n', start);
    const text = content.slice(start, end < 0 ? content.length : end);
    scan.read(text.endsWith('\r') ? text.slice(0, -1) : text, ++line, start < bodyStart);
    if (end < 0) break;
    start = end + 1;
  }
  return scan.outline();
}

class OutlineScan {
  readonly #references: References;
  readonly #isLogseq: boolean;
  readonly #links = new Map<string, LinkPlace & { count: number }>();
  readonly #tasks: LocatedTask[] = [];
  readonly #statements: StatementPlace[] = [];
  #heading: string | null = null;
  /** The marks that opened a block of code. */
  #fence: string | null = null;
  /** The key of the front matter to which a line belongs. */
  #property = '';
  /** Whether the last task continues: no other block has begun. */
  #isInTask = false;

  constructor(references: References, isLogseq: boolean) {
    this.#references = references;
    this.#isLogseq = isLogseq;
  }

  /** @param written the line, of which `Place` has the hash */
  read(written: string, line: number, inFrontMatter: boolean): void {
    if (this.#isCode(written)) return;
    const text = this.#isLogseq ? withCheckbox(withWikilinks(written)) : written;
    if (this.#isLogseq) this.#readDeadline(written);
    if (inFrontMatter) this.#property = /^([^\s:#-][^:]*):/.exec(text)?.[1] ?? this.#property;
    const heading = inFrontMatter ? null : HEADING.exec(text);
    if (heading !== null) this.#heading = heading[1]!;
    let place: Place | null = null;
    const here = (): Place => (place ??= this.#place(written, line, inFrontMatter));
    const task = inFrontMatter || this.#tasks.length >= MAX_TASKS ? null : taskIn(text);
    if (task !== null) {
      this.#tasks.push({ ...here(), ...task });
      this.#isInTask = true;
    }
    if (!text.includes('[')) return;
    for (const { link, start } of linkSpans(text, this.#references)) {
      if (link.target === '') continue;
      this.#addLink(link.target, link.embed === true, here);
      const statement = statementBefore(text.slice(0, start), inFrontMatter ? this.#property : null);
      if (statement !== null) this.#statements.push({ ...here(), target: link.target, statement });
    }
  }

  /** Logseq writes the deadline of a task on a line below it, within the same block. */
  #readDeadline(line: string): void {
    if (startsBlock(line)) this.#isInTask = false;
    const due = this.#isInTask ? deadlineIn(line) : null;
    const task = this.#tasks.at(-1);
    if (due !== null && task?.due === null)
      this.#tasks[this.#tasks.length - 1] = { ...task, due: dayIn(due) };
  }

  outline(): NoteOutline {
    return { links: [...this.#links.values()], tasks: this.#tasks, statements: this.#statements };
  }

  #isCode(text: string): boolean {
    const marks = FENCE.exec(text)?.[1];
    if (this.#fence === null) {
      this.#fence = marks ?? null;
      return marks !== undefined;
    }
    if (marks?.startsWith(this.#fence) === true) this.#fence = null;
    return true;
  }

  #place(text: string, line: number, inFrontMatter: boolean): Place {
    const heading = this.#heading === null ? '' : headingTitle(this.#heading);
    return { line, heading: heading === '' ? null : heading, inFrontMatter, hash: sha256(text) };
  }

  #addLink(target: string, embed: boolean, here: () => Place): void {
    const key = `${embed ? '!' : ''}${target}`;
    const known = this.#links.get(key);
    if (known === undefined) this.#links.set(key, { ...here(), target, embed, count: 1 });
    else known.count++;
  }
}

/** @public A thread finds it by its name. */
export function noteOutlines(texts: readonly OutlinedText[]): NoteOutline[] {
  return texts.map(({ content, isLogseq }) => noteOutline(content, isLogseq));
}

/** `noteOutlines` as a task for a thread, because long texts would block the caller. */
export const OUTLINES: ThreadTask<[texts: readonly OutlinedText[]], NoteOutline[]> = {
  module: workerModule(import.meta.url, 'outline'),
  name: noteOutlines.name,
  inline: noteOutlines,
};
