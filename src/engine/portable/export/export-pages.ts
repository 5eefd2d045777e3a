import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../../core/progress.ts';
import { startupEntries } from '../../../store/items/kinds.ts';
import type { EngineContext } from '../../context.ts';
import { expire } from '../../shared/retention.ts';
import { auditChains } from '../items/audit.ts';
import {
  FORMAT,
  INITIAL_DIGEST,
  updateDigest,
  VERSION,
  type CountName,
  type ExportEnd,
  type ExportHeader,
} from '../items/header.ts';
import type { Position } from '../items/item-type.ts';
import { formatLine, ITEM_TYPE_NAMES, itemType, type ExportItem } from '../items/items.ts';

const SECTIONS = ['header', ...ITEM_TYPE_NAMES, 'end'] as const;

/** The position at which an export continues. */
const cursorSchema = z.strictObject({
  section: z.enum(SECTIONS),
  /** Index of the audit chain or history category within its section. */
  part: z.number().int().nonnegative(),
  /** Number of the last exported item of the part; 0 before the first. */
  after: z.number().int().nonnegative(),
  lines: z.number().int().nonnegative(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});
type ExportCursor = Readonly<z.infer<typeof cursorSchema>>;

const START: ExportCursor = { section: 'header', part: 0, after: 0, lines: 0, digest: INITIAL_DIGEST };

function formatCursor(cursor: ExportCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function parseCursor(text: string): ExportCursor {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch (error) {
    throw new LociError('invalid_input', 'this is not the `next` of an export', { cause: error });
  }
}

/** How many items of each type were exported. Records count with those that are deleted. */
export type ExportCounts = Record<CountName | 'deleted', number>;

export function noExportCounts(): ExportCounts {
  return {
    startup: 0,
    records: 0,
    deleted: 0,
    labels: 0,
    golden_queries: 0,
    audit: 0,
    history: 0,
  };
}

interface ExportStep {
  readonly items: readonly ExportItem[];
  /** The same items as lines; the header and the end are lines without an item. */
  readonly lines: readonly string[];
  /** `null` after the last line. */
  readonly next: ExportCursor | null;
}

/** Yields the whole export, one batch of lines at a time, and adds to `counts`. @throws LociError `aborted` */
export async function* exportSteps(
  context: EngineContext,
  options: ProgressOptions,
  counts: ExportCounts,
): AsyncGenerator<ExportStep> {
  for (let cursor: ExportCursor | null = START; cursor !== null;) {
    assertNotAborted(options);
    const step: ExportStep = await exportStep(context, cursor);
    for (const { type, value } of step.items) {
      counts[itemType(type).count]++;
      if (type === 'record' && value.deletedAt !== null) counts.deleted++;
    }
    yield step;
    const done = step.next?.lines ?? cursor.lines;
    options.onProgress?.({ stage: 'reading', subject: 'memory', done, total: 0 });
    cursor = step.next;
  }
}

/** Some of an export's lines. The concatenated pages are the export. */
export interface ExportPage {
  readonly lines: string;
  /** Where the next page begins; `null` after the last line. */
  readonly next: string | null;
}

const MIN_PAGE_CHARACTERS = 200_000;

export async function* exportLines(
  context: EngineContext,
  options: ProgressOptions = {},
): AsyncGenerator<string, ExportCounts> {
  const counts = noExportCounts();
  for await (const { lines } of exportSteps(context, options, counts)) yield* lines;
  return counts;
}

/** @throws LociError `invalid_input` when `after` is not the `next` of a page */
export async function exportPage(context: EngineContext, after?: string): Promise<ExportPage> {
  let cursor: ExportCursor | null = after === undefined ? START : parseCursor(after);
  let lines = '';
  while (cursor !== null && lines.length < MIN_PAGE_CHARACTERS) {
    const step: ExportStep = await exportStep(context, cursor);
    for (const line of step.lines) lines += `${line}\n`;
    cursor = step.next;
  }
  return { lines, next: cursor === null ? null : formatCursor(cursor) };
}

/**
 * Reads the next lines of the caller's namespace. The cursor is the only state, so an export holds one batch in memory.
 * Each batch is consistent in itself. Changes made during the export are recorded in the audit log, which is exported
 * after the records.
 */
async function exportStep(context: EngineContext, cursor: ExportCursor): Promise<ExportStep> {
  const { section } = cursor;
  if (section === 'header') return stepFrom(cursor, [], [JSON.stringify(await exportHeader(context))], null);
  if (section === 'end') {
    const { lines, digest } = cursor;
    const end: ExportEnd = { type: 'end', lines, digest };
    return { items: [], lines: [JSON.stringify(end)], next: null };
  }
  const { items: values, next } = await itemType(section).read(context, cursor);
  const items = values.map((value) => ({ type: section, value }) as ExportItem);
  return stepFrom(cursor, items, items.map(formatLine), next);
}

/** @param next the position within the section; `null` at its end */
function stepFrom(
  cursor: ExportCursor,
  items: readonly ExportItem[],
  lines: readonly string[],
  next: Position | null,
): ExportStep {
  const nextSection = SECTIONS[SECTIONS.indexOf(cursor.section) + 1] ?? 'end';
  const position =
    next === null ? { section: nextSection, part: 0, after: 0 } : { section: cursor.section, ...next };
  const digest = lines.reduce(updateDigest, cursor.digest);
  return { items, lines, next: { ...position, lines: cursor.lines + lines.length, digest } };
}

export async function exportHeader(context: EngineContext): Promise<ExportHeader> {
  const { store, namespace } = context;
  const now = context.now();
  await expire(context);
  const chains = await auditChains(context);
  const records = await store.records.count(namespace, { now });
  const deleted = await store.records.count(namespace, { now, deleted: true });
  return {
    type: 'header',
    format: FORMAT,
    version: VERSION,
    namespace,
    exported_at: new Date(now).toISOString(),
    counts: {
      startup: (await startupEntries(store.records, namespace)).length,
      records,
      deleted_records: deleted,
      audit: chains.reduce((sum, { length }) => sum + length, 0),
    },
  };
}
