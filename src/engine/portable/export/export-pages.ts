import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../../core/progress.ts';
import { HISTORY_CATEGORIES } from '../../../store/admin-model.ts';
import {
  conceptChanges,
  historyRuns,
  startupEntries,
  storedGoldenQueries,
  storedLabels,
} from '../../../store/items/kinds.ts';
import type { EngineContext } from '../../context.ts';
import {
  FORMAT,
  formatLine,
  INITIAL_DIGEST,
  updateDigest,
  VERSION,
  type ExportEnd,
  type ExportHeader,
  type ExportItem,
} from '../format/export-item.ts';

const SECTIONS = [
  'header',
  'startup',
  'record',
  'concept_change',
  'label',
  'golden_query',
  'audit',
  'history',
  'end',
] as const;

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

/** How many items of each type were exported. */
export interface ExportCounts {
  startup: number;
  /** Deleted ones included. */
  records: number;
  deleted: number;
  /** Changes of concepts by operators. */
  concept_change: number;
  labels: number;
  golden_queries: number;
  audit: number;
  history: number;
}

export function noExportCounts(): ExportCounts {
  return {
    startup: 0,
    records: 0,
    deleted: 0,
    concept_change: 0,
    labels: 0,
    golden_queries: 0,
    audit: 0,
    history: 0,
  };
}

function addToCounts(counts: ExportCounts, item: ExportItem): void {
  if (item.type === 'record') {
    counts.records++;
    if (item.record.deletedAt !== null) counts.deleted++;
  } else if (item.type === 'label') counts.labels++;
  else if (item.type === 'golden_query') counts.golden_queries++;
  else counts[item.type]++;
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
    for (const item of step.items) addToCounts(counts, item);
    yield step;
    const done = step.next?.lines ?? cursor.lines;
    options.onProgress?.({ stage: 'reading', subject: 'memory', done, total: 0 });
    cursor = step.next;
  }
}

/** Some of an export's lines. The concatenated pages are the export. */
export interface ExportPage {
  readonly lines: string;
  readonly count: number;
  /** Where the next page begins; `null` after the last line. */
  readonly next: string | null;
}

const MIN_PAGE_CHARACTERS = 200_000;

/** @throws LociError `invalid_input` when `after` is not the `next` of a page */
export async function exportPage(context: EngineContext, after?: string): Promise<ExportPage> {
  let cursor: ExportCursor | null = after === undefined ? START : parseCursor(after);
  let lines = '';
  let count = 0;
  while (cursor !== null && lines.length < MIN_PAGE_CHARACTERS) {
    const step: ExportStep = await exportStep(context, cursor);
    for (const line of step.lines) lines += `${line}\n`;
    count += step.lines.length;
    cursor = step.next;
  }
  return { lines, count, next: cursor === null ? null : formatCursor(cursor) };
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
  const { items, next } = await READERS[section](context, cursor);
  return stepFrom(cursor, items, items.map(formatLine), next);
}

/** @param next the position within the section; `null` at its end */
function stepFrom(
  cursor: ExportCursor,
  items: readonly ExportItem[],
  lines: readonly string[],
  next: Batch['next'],
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
  await context.expire();
  const chains = await chainsOf(context);
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
      concept_changes: (await conceptChanges(store.records, namespace)).length,
      audit: chains.reduce((sum, { length }) => sum + length, 0),
    },
  };
}

/** Items of one section. */
interface Batch {
  readonly items: readonly ExportItem[];
  /** `null` at the end of the section. */
  readonly next: Pick<ExportCursor, 'part' | 'after'> | null;
}

const RECORDS_PER_BATCH = 100;
const ENTRIES_PER_BATCH = 500;

const READERS: Readonly<
  Record<
    Exclude<ExportCursor['section'], 'header' | 'end'>,
    (context: EngineContext, cursor: ExportCursor) => Promise<Batch>
  >
> = {
  startup: async ({ store, namespace }, { after }) => {
    const end = after + ENTRIES_PER_BATCH;
    const entries = (await startupEntries(store.records, namespace)).slice(after, end);
    const items = entries.map((entry) => ({ type: 'startup' as const, entry }));
    return { items, next: entries.length < ENTRIES_PER_BATCH ? null : { part: 0, after: end } };
  },
  record: async (context, { after }) => {
    const page = { after, limit: RECORDS_PER_BATCH };
    const records = await context.store.records.list(
      context.namespace,
      { scan: 'exportable', now: context.now() },
      page,
    );
    const items = records.map(({ namespace: _, ...record }) => ({ type: 'record' as const, record }));
    const last = records.at(-1);
    return { items, next: last === undefined ? null : { part: 0, after: last.id } };
  },
  concept_change: async ({ store, namespace }, { after }) => {
    const end = after + ENTRIES_PER_BATCH;
    const changes = (await conceptChanges(store.records, namespace)).slice(after, end);
    const items = changes.map((change) => ({ type: 'concept_change' as const, change }));
    return { items, next: changes.length < ENTRIES_PER_BATCH ? null : { part: 0, after: end } };
  },
  label: async ({ store, namespace }, { after }) => {
    const labels = await storedLabels(store.records, namespace, null, { after, limit: ENTRIES_PER_BATCH });
    const items = labels.map(({ sequence: _, ...label }) => ({ type: 'label' as const, label }));
    const last = labels.at(-1);
    return { items, next: last === undefined ? null : { part: 0, after: last.sequence } };
  },
  golden_query: async ({ store, namespace }, { after }) => {
    const queries = await storedGoldenQueries(store.records, namespace, { after, limit: ENTRIES_PER_BATCH });
    const items = queries.map(({ sequence: _, ...query }) => ({ type: 'golden_query' as const, query }));
    const last = queries.at(-1);
    return { items, next: last === undefined ? null : { part: 0, after: last.sequence } };
  },
  audit: async (context, { part, after }) => {
    const chain = (await chainsOf(context))[part]?.chain;
    if (chain === undefined) return { items: [], next: null };
    const { entries } = await context.store.admin.audit(context.namespace, {
      chain: { name: chain, after, limit: ENTRIES_PER_BATCH },
    });
    const items = entries.map((entry) => ({ type: 'audit' as const, entry }));
    const last = entries.at(-1);
    return { items, next: last === undefined ? { part: part + 1, after: 0 } : { part, after: last.seq } };
  },
  history: async ({ store, namespace, now }, { part, after }) => {
    const category = HISTORY_CATEGORIES[part];
    if (category === undefined) return { items: [], next: null };
    const rows = await historyRuns(
      store.records,
      namespace,
      { category, now: now(), order: 'oldest' },
      { after, limit: ENTRIES_PER_BATCH },
    );
    const items = rows.map(({ id: _, ...row }) => ({ type: 'history' as const, row }));
    const last = rows.at(-1);
    return { items, next: last === undefined ? { part: part + 1, after: 0 } : { part, after: last.id } };
  },
};

/** The audit chains in an order that later writes do not change. Only the operator may read them. */
async function chainsOf({
  store,
  namespace,
  caller,
}: EngineContext): Promise<{ chain: string; length: number }[]> {
  if (caller.trust !== 'operator') return [];
  const { chains } = await store.admin.audit(namespace, { chains: true });
  return chains.toSorted((a, b) => (a.chain < b.chain ? -1 : 1));
}
