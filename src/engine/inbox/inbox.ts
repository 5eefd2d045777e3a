import type { Json, LociRecord } from '../../core/types.ts';
import { isJsonMap } from '../../core/json.ts';
import { type UnseenChange, unseenChanges, unseenRemoval } from '../../store/items/kinds.ts';
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
  type KeepRequest,
  type KeepOutput,
} from './inbox-fields.ts';
import { planUndo, logEntries, recordChanges } from './plan-undo.ts';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';

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
    : { diff: copied(withShortTexts({ ...diff })), shortened: true };
}

function copied(diff: AuditDiff | null): Record<string, Json> | null {
  return diff === null ? null : { ...diff };
}

function withShortTexts<Value extends Json>(value: Value): Value {
  if (typeof value === 'string') return value.slice(0, DIFF_CHARACTERS).toWellFormed() as Value;
  if (!isJsonMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withShortTexts(each)]),
  ) as Value;
}

/** What an agent did in a session. */
type Author = Pick<UnseenChange, 'actor' | 'surface' | 'session'>;

const ID_DIGITS = 12;

function groupIdOf({ actor, surface, session }: Author): string {
  return sha256(JSON.stringify([actor, surface, session])).slice(0, ID_DIGITS);
}

/**
 * The changes of the inbox that a request names, the last one first.
 * @throws LociError `invalid_input` for a request that names none, or several kinds; `not_found` for what is not in the inbox
 */
export async function chosenChanges(
  { store, namespace }: EngineContext,
  { changes, group, up_to: upTo = Infinity, until, all }: KeepRequest,
): Promise<{ readonly chosen: readonly UnseenChange[]; readonly unseen: readonly UnseenChange[] }> {
  const given = [changes, group, until, all].filter((each) => each !== undefined);
  if (given.length !== 1)
    throw new LociError('invalid_input', 'a request names either changes, or a group, or all of them', {
      hint: '`loci inbox` lists the numbers of changes and the ids of groups.',
    });
  const unseen = await unseenChanges(store.records, namespace);
  const wanted = new Set(changes);
  const chosen = unseen.filter(
    (change) =>
      change.entry <= upTo &&
      (changes === undefined || wanted.has(change.entry)) &&
      (group === undefined || groupIdOf(change) === group) &&
      (until === undefined || change.at < until),
  );
  const found = new Set(chosen.map(({ entry }) => entry));
  const missing = [...wanted].filter((entry) => !found.has(entry));
  if (missing.length > 0)
    throw new LociError(
      'not_found',
      `not in the inbox: ${missing.map((entry) => `change ${String(entry)}`).join(', ')}`,
      {
        hint: 'They were kept or undone already. `loci inbox` lists what is there.',
      },
    );
  if (group !== undefined && chosen.length === 0)
    throw new LociError('not_found', `the inbox has no group ${group}`, {
      hint: 'Its changes were kept or undone already. `loci inbox` lists what is there.',
    });
  return { chosen, unseen };
}

/** The changes and all later ones of the same session to the same records: an earlier one cannot be undone alone. */
export function withLater(chosen: readonly UnseenChange[], unseen: readonly UnseenChange[]): UnseenChange[] {
  const nameOf = (change: UnseenChange): string => JSON.stringify([groupIdOf(change), change.subject]);
  const first = new Map(chosen.map((change) => [nameOf(change), change.entry]));
  const isChosen = new Set(chosen.map(({ entry }) => entry));
  return unseen.filter(
    (change) =>
      isChosen.has(change.entry) ||
      (change.subject !== null && change.entry > (first.get(nameOf(change)) ?? Infinity)),
  );
}

/** Takes changes out of the inbox. Nothing else changes. @throws LociError `invalid_input`, `not_found` */
export async function keepChanges(context: EngineContext, request: KeepRequest): Promise<KeepOutput> {
  const { chosen, unseen } = await chosenChanges(context, request);
  const items = chosen.map(({ entry }) => unseenRemoval(entry));
  if (items.length > 0) await context.store.records.commit(context.namespace, { items });
  return { kept: chosen.length, left: unseen.length - chosen.length };
}
