import type { Json, LociRecord } from '../../core/types.ts';
import { isJsonMap } from '../../core/json.ts';
import { type UnseenChange, unseenChanges } from '../../store/items/kinds.ts';
import type { AuditDiff, AuditEntry } from '../../store/admin-model.ts';
import type { EngineContext } from '../context.ts';
import { isoTime } from '../fields/times.ts';
import { expire } from '../shared/retention.ts';
import {
  DEFAULT_CHANGES,
  DEFAULT_GROUPS,
  type InboxChange,
  type InboxOutput,
  type InboxRequest,
} from './inbox-fields.ts';
import { planUndo } from './plan-undo.ts';
import { logEntries, recordChanges } from './record-changes.ts';
import { type Author, groupIdOf, withLater } from './unseen.ts';

/** What an agent did in a session. */
interface Group {
  readonly id: string;
  readonly author: Author;
  /** The last one first. */
  readonly changes: readonly UnseenChange[];
  readonly from: number;
  readonly to: number;
}

/** What agents changed and the operator has neither kept nor undone, by agent and session. */
export async function listInbox(context: EngineContext, request: InboxRequest = {}): Promise<InboxOutput> {
  await expire(context);
  const {
    limit = DEFAULT_GROUPS,
    changes = DEFAULT_CHANGES,
    group,
    after,
    after_change: afterChange,
  } = request;
  const unseen = await unseenChanges(context.store.records, context.namespace);
  const groups = groupsOf(unseen).filter(
    (each) => (group === undefined || each.id === group) && (after === undefined || isAfter(each, after)),
  );
  const listed = groups.slice(0, limit);
  const pages = listed.map((each) => {
    const rest = each.changes.filter(({ entry }) => afterChange === undefined || entry < afterChange);
    return { group: each, page: rest.slice(0, changes), hasMore: rest.length > changes };
  });
  const described = await describe(
    context,
    pages.flatMap(({ page }) => page),
    unseen,
  );
  return {
    ...countsOf(unseen),
    groups: pages.map(({ group: { id, author, from, to, ...each }, page, hasMore }) => ({
      id,
      agent: author.actor,
      surface: author.surface,
      session: author.session,
      from: isoTime(from),
      to: isoTime(to),
      last: each.changes[0]?.entry ?? 0,
      ...countsOf(each.changes),
      changes: page.map(({ entry }) => described.get(entry)!),
      next_change: hasMore ? (page.at(-1)?.entry ?? null) : null,
    })),
    next: groups.length > limit ? cursorOf(listed.at(-1)!) : null,
  };
}

function cursorOf({ to, id }: Group): string {
  return `${String(to)}/${id}`;
}

function isAfter({ to, id }: Group, cursor: string): boolean {
  const [time, last = ''] = cursor.split('/');
  return to < Number(time) || (to === Number(time) && id > last);
}

function groupsOf(unseen: readonly UnseenChange[]): Group[] {
  const groups = [...Map.groupBy(unseen, groupIdOf)].map(([id, changes]): Group => {
    const [from, to] = changes.reduce(
      ([least, most], { at }) => [Math.min(least, at), Math.max(most, at)],
      [Infinity, 0],
    );
    return { id, author: changes[0]!, changes, from, to };
  });
  return groups.sort((a, b) => b.to - a.to || (a.id < b.id ? -1 : 1));
}

type Counted = 'written' | 'changed' | 'deleted' | 'facts';

const COUNTED_AS: Readonly<Record<string, Counted>> = {
  write: 'written',
  store: 'facts',
  delete: 'deleted',
  forget: 'deleted',
  'startup-remove': 'deleted',
};

function countsOf(changes: readonly UnseenChange[]): Record<Counted | 'total', number> {
  const counts = { total: changes.length, written: 0, changed: 0, deleted: 0, facts: 0 };
  for (const { action } of changes) counts[COUNTED_AS[action] ?? 'changed']++;
  return counts;
}

/** The changes with what they changed, by the numbers of their entries. */
async function describe(
  context: EngineContext,
  page: readonly UnseenChange[],
  unseen: readonly UnseenChange[],
): Promise<Map<number, InboxChange>> {
  if (page.length === 0) return new Map();
  const about = await recordChanges(
    context,
    page.map(({ subject }) => subject),
  );
  const entries = await logEntries(context, { entries: page.map(({ entry }) => entry) });
  const entryOf = new Map(entries.map((entry) => [entry.seq, entry]));
  const laterOf = Map.groupBy(unseen, ({ subject }) => subject);
  const now = context.now();
  return new Map(
    page.map((change) => {
      const { record, entries: all = [] } = about.get(change.subject ?? '') ?? {};
      const wanted = withLater([change], laterOf.get(change.subject) ?? []).map(({ entry }) => entry);
      const plan = record === undefined ? null : planUndo(record, all, new Set(wanted), now);
      const isUndoable = plan?.undone.some(({ seq }) => seq === change.entry) === true;
      const refusal = plan?.refused.find(({ entry }) => entry.seq === change.entry);
      const by = refusal?.by ?? null;
      const isRecord = change.subject !== null && about.has(change.subject);
      return [
        change.entry,
        {
          ...{ id: change.entry, at: isoTime(change.at), action: change.action, subject: change.subject },
          ...recordFields(record),
          ...shortDiff(entryOf.get(change.entry)),
          undo:
            isUndoable && plan.after !== null && record !== undefined ? effectOf(record, plan.after) : null,
          with: isUndoable ? wanted.length - 1 : 0,
          why: isUndoable ? null : (refusal?.why ?? (isRecord ? 'the record is gone' : 'it is no record')),
          changed_by: by === null ? null : { agent: by.actor, surface: by.surface, action: by.action },
        },
      ];
    }),
  );
}

function effectOf(record: LociRecord, after: LociRecord): InboxChange['undo'] {
  if (after.deletedAt !== null) return 'delete';
  return record.deletedAt === null ? 'change-back' : 'restore';
}

const EXCERPT_CHARACTERS = 400;
const EXCERPT_LINES = 12;

function recordFields(record: LociRecord | undefined) {
  if (record === undefined)
    return {
      record: null,
      state: 'gone' as const,
      origin: null,
      title: '',
      category: null,
      ...excerptOf(''),
      expires_at: null,
    };
  const { id, deletedAt, origin, title, category, content, expiresAt } = record;
  return {
    record: id,
    state: deletedAt === null ? ('live' as const) : ('deleted' as const),
    origin,
    title,
    category,
    ...excerptOf(content),
    expires_at: expiresAt === null ? null : isoTime(expiresAt),
  };
}

/** Blank lines could push the rest of a text out of its excerpt. */
function excerptOf(content: string): Pick<InboxChange, 'excerpt' | 'excerpt_shortened'> {
  const text = content.replaceAll(/\n\s*\n/g, '\n').trim();
  const excerpt = text.slice(0, EXCERPT_CHARACTERS).split('\n', EXCERPT_LINES).join('\n');
  return { excerpt: excerpt.toWellFormed(), excerpt_shortened: excerpt.length < text.length };
}

const DIFF_CHARACTERS = 4000;

/** A page has many changes, and each may be of two long texts. */
function shortDiff(entry: AuditEntry | undefined): Pick<InboxChange, 'diff' | 'shortened'> {
  const diff = entry?.diff ?? null;
  const isShort = diff === null || JSON.stringify(diff).length <= DIFF_CHARACTERS;
  return isShort
    ? { diff: copied(diff), shortened: false }
    : { diff: copied(shortened({ ...diff })), shortened: true };
}

function copied(diff: AuditDiff | null): Record<string, Json> | null {
  return diff === null ? null : { ...diff };
}

function shortened<Value extends Json>(value: Value): Value {
  if (typeof value === 'string') return value.slice(0, DIFF_CHARACTERS).toWellFormed() as Value;
  if (!isJsonMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)])) as Value;
}
