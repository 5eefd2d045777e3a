import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { HISTORY_CATEGORIES } from '../../store/history.ts';
import type { EngineContext } from '../context.ts';
import {
  DIGEST_START,
  digestWith,
  FORMAT,
  lineOf,
  VERSION,
  type ExportEnd,
  type ExportHeader,
  type Portable,
} from './portable-line.ts';

const SECTIONS = ['header', 'startup', 'record', 'audit', 'history', 'end'] as const;

/** Where an export goes on. */
export interface ExportCursor {
  readonly section: (typeof SECTIONS)[number];
  /** Which part of the section: an audit chain, a category of history. */
  readonly part: number;
  /** The last that was told of the part; 0 before the first. */
  readonly after: number;
  readonly lines: number;
  readonly digest: string;
}

export const EXPORT_START: ExportCursor = {
  section: 'header',
  part: 0,
  after: 0,
  lines: 0,
  digest: DIGEST_START,
};

const cursorSchema: z.ZodType<ExportCursor> = z.strictObject({
  section: z.enum(SECTIONS),
  part: z.number().int().nonnegative(),
  after: z.number().int().nonnegative(),
  lines: z.number().int().nonnegative(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});

export function cursorText(cursor: ExportCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws LociError `invalid_input` */
export function cursorOf(text: string): ExportCursor {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch (error) {
    throw new LociError('invalid_input', 'this is no `next` of an export', { cause: error });
  }
}

/** What is told at once, and where the rest begins. */
interface Slice {
  readonly items: readonly Portable[];
  /** `null` at the end of the section. */
  readonly next: Pick<ExportCursor, 'part' | 'after'> | null;
}

export interface ExportStep {
  readonly items: readonly Portable[];
  readonly lines: readonly string[];
  /** `null` behind the last line. */
  readonly next: ExportCursor | null;
}

/** Records, and other things, that are held at once. */
const RECORDS = 100;
const ENTRIES = 500;

/**
 * The next lines of the caller's whole namespace, from nothing but where it was left: an export holds one page at a
 * time. What is changed meanwhile is told as it was when its page was read; whatever an export tells of was so at
 * some time while it ran, and the audit log, told behind the records, knows of each.
 */
export async function exportStep(context: EngineContext, cursor: ExportCursor): Promise<ExportStep> {
  const { section } = cursor;
  if (section === 'header') return told(cursor, [], [JSON.stringify(await headerLine(context))], null);
  if (section === 'end') {
    const { lines, digest } = cursor;
    const end: ExportEnd = { type: 'end', lines, digest };
    return { items: [], lines: [JSON.stringify(end)], next: null };
  }
  const { items, next } = await SLICES[section](context, cursor);
  return told(cursor, items, items.map(lineOf), next);
}

function told(
  cursor: ExportCursor,
  items: readonly Portable[],
  lines: readonly string[],
  next: Slice['next'],
): ExportStep {
  const section = SECTIONS[SECTIONS.indexOf(cursor.section) + 1] ?? 'end';
  const place = next === null ? { section, part: 0, after: 0 } : { section: cursor.section, ...next };
  const digest = lines.reduce(digestWith, cursor.digest);
  return { items, lines, next: { ...place, lines: cursor.lines + lines.length, digest } };
}

export async function headerLine(context: EngineContext): Promise<ExportHeader> {
  const { store, namespace } = context;
  const now = context.now();
  await context.expire();
  const chains = await chainsOf(context);
  return {
    type: 'header',
    format: FORMAT,
    version: VERSION,
    namespace,
    exported_at: new Date(now).toISOString(),
    counts: {
      startup: (await store.startupEntries(namespace)).length,
      records: await store.countRecords(namespace, { now }),
      deleted_records: await store.countRecords(namespace, { now, deleted: true }),
      audit: chains.reduce((sum, { length }) => sum + length, 0),
    },
  };
}

const SLICES: Readonly<
  Record<
    Exclude<ExportCursor['section'], 'header' | 'end'>,
    (context: EngineContext, cursor: ExportCursor) => Promise<Slice>
  >
> = {
  startup: async ({ store, namespace }, { after }) => {
    const entries = (await store.startupEntries(namespace)).slice(after, after + ENTRIES);
    const items = entries.map((entry) => ({ type: 'startup' as const, entry }));
    return { items, next: entries.length < ENTRIES ? null : { part: 0, after: after + ENTRIES } };
  },
  record: async (context, { after }) => {
    const page = { after, limit: RECORDS };
    const records = await context.store.heldPage(context.namespace, context.now(), page);
    const items = records.map(({ namespace: _, ...record }) => ({ type: 'record' as const, record }));
    const last = records.at(-1);
    return { items, next: last === undefined ? null : { part: 0, after: last.id } };
  },
  audit: async (context, { part, after }) => {
    const chain = (await chainsOf(context))[part]?.chain;
    if (chain === undefined) return { items: [], next: null };
    const entries = await context.store.auditChain(context.namespace, chain, { after, limit: ENTRIES });
    const items = entries.map((entry) => ({ type: 'audit' as const, entry }));
    const last = entries.at(-1);
    return { items, next: last === undefined ? { part: part + 1, after: 0 } : { part, after: last.seq } };
  },
  history: async ({ store, namespace, now }, { part, after }) => {
    const category = HISTORY_CATEGORIES[part];
    if (category === undefined) return { items: [], next: null };
    const rows = await store.historyFrom(namespace, category, now(), { after, limit: ENTRIES });
    const items = rows.map(({ id: _, ...row }) => ({ type: 'history' as const, row }));
    const last = rows.at(-1);
    return { items, next: last === undefined ? { part: part + 1, after: 0 } : { part, after: last.id } };
  },
};

/** In an order that does not change while more is written; the log is the operator's alone. */
async function chainsOf({
  store,
  namespace,
  caller,
}: EngineContext): Promise<{ chain: string; length: number }[]> {
  if (caller.trust !== 'operator') return [];
  const chains = await store.auditChains(namespace);
  return chains.toSorted((a, b) => (a.chain < b.chain ? -1 : 1));
}
