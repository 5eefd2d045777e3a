import { headingTitle } from '../../sources/markdown/heading-title.ts';
import type { TaskState } from '../../store/graph-model.ts';

/** A task of a note: `- [ ] Call the plumber 📅 2026-11-25`. */
export interface Task extends TaskState {
  /** As a reader sees it, without its date. */
  readonly title: string;
  /** Without `^`. */
  readonly blockId: string | null;
}

/** The text is bounded, because the expressions below look at all of it. */
const TASK = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]+(\S.{0,2000})/;
/** As the plugins Tasks and Dataview write it, and in words. */
const DUE =
  /(?:\u{1F4C5}|\u{1F5D3}|\u{23F3}|[[(]?\b(?:due|deadline)(?:::?|[ \t]+(?:on|by))?|@due\(|\bf\u00E4llig(?:[ \t]+am|:)?|\bbis|\u622A\u6B62|\u671F\u9650)[\uFE0F :\uFF1A]{0,3}(\d{4}-\d{2}-\d{2})[\])]?/iu;
const BLOCK_ID = /[ \t]\^([A-Za-z0-9-]{1,100})[ \t]*$/;

/** The task in a line of a note; `null` if it has none. */
export function taskIn(line: string): Task | null {
  const match = TASK.exec(line);
  if (match === null) return null;
  const text = match[2]!;
  const due = DUE.exec(text);
  const day = due?.[1] ?? null;
  const title = headingTitle(text.replace(BLOCK_ID, '').replace(due?.[0] ?? '', ' '));
  if (title === '') return null;
  return {
    title,
    done: match[1] !== ' ',
    due: day !== null && isDay(day) ? day : null,
    blockId: BLOCK_ID.exec(text)?.[1] ?? null,
  };
}

/** Whether the calendar has the day: it has no 30th of February. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
