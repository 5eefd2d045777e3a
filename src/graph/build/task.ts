import { headingTitle } from '../../sources/markdown/plain-text.ts';
import type { TaskState } from '../../store/graph-model.ts';

/** A task of a note: `- [ ] Call the plumber 📅 2026-11-25`. */
export interface Task extends TaskState {
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
