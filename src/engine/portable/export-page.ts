import type { EngineContext } from '../context.ts';
import { cursorOf, cursorText, EXPORT_START, exportStep, type ExportStep } from './export-steps.ts';

/** Some of an export's lines, as one text; put together, all of them are the export. */
export interface ExportPage {
  readonly lines: string;
  readonly count: number;
  /** Where to go on; `null` behind the last line. */
  readonly next: string | null;
}

/** Characters behind which a page ends. */
const PAGE = 200_000;

/** @throws LociError `invalid_input` for what is no `next` of a page */
export async function exportPage(context: EngineContext, after?: string): Promise<ExportPage> {
  let cursor: ExportStep['next'] = after === undefined ? EXPORT_START : cursorOf(after);
  let lines = '';
  let count = 0;
  while (cursor !== null && lines.length < PAGE) {
    const step: ExportStep = await exportStep(context, cursor);
    for (const line of step.lines) lines += `${line}\n`;
    count += step.lines.length;
    cursor = step.next;
  }
  return { lines, count, next: cursor === null ? null : cursorText(cursor) };
}
