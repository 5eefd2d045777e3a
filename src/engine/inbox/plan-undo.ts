import { isDeepStrictEqual } from 'node:util';
import { parsePatch } from 'diff';
import { sha256 } from '../../core/ids.ts';
import { isJsonMap } from '../../core/json.ts';
import type { Json, LociRecord, Metadata, Timestamp, Trust } from '../../core/types.ts';
import type { AuditEntry, AuditFilter } from '../../store/admin-model.ts';
import { auditedFields } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';

/** The field of a diff with the numbers of the entries that a change undoes. */
export const UNDOES = 'undoes';

/** Why a change cannot be undone, and the later change that prevents it. */
interface Refusal {
  readonly why: string;
  readonly by: AuditEntry | null;
}

/** What undoing changes of a record does to it. */
export interface UndoPlan {
  /** The record as it will be; `null` if nothing is undone. */
  readonly after: LociRecord | null;
  readonly undone: readonly AuditEntry[];
  readonly refused: readonly ({ readonly entry: AuditEntry } & Refusal)[];
}

/**
 * Goes back from the present, change by change, and stops at the first one that is not wanted.
 * @param entries all that the log has about the record, the last one first
 * @param wanted the numbers of the entries to undo
 */
export function planUndo(
  record: LociRecord,
  entries: readonly AuditEntry[],
  wanted: ReadonlySet<number>,
  now: Timestamp,
): UndoPlan {
  // An undone change and its undoing leave the record as it was before both.
  const cancelled = new Set<number>();
  const undone: AuditEntry[] = [];
  const refused: ({ entry: AuditEntry } & Refusal)[] = [];
  let after = record;
  let blocked: Refusal | null = null;
  for (const entry of entries) {
    if (cancelled.has(entry.seq)) continue;
    if (!wanted.has(entry.seq)) {
      const undoes = undoneBy(entry);
      for (const seq of undoes) cancelled.add(seq);
      if (undoes.length === 0)
        blocked ??= {
          why: `changed again: ${entry.action} by ${entry.actor} (${entry.surface})`,
          by: entry,
        };
      continue;
    }
    const before: LociRecord | string = blocked === null ? reverted(after, entry, now) : '';
    if (typeof before === 'string') {
      blocked ??= { why: before, by: null };
      refused.push({ entry, ...blocked });
    } else {
      // A record that is deleted because it is new keeps what was written last.
      after = isNew(entry.diff) ? { ...record, deletedAt: now } : before;
      undone.push(entry);
    }
  }
  return { after: undone.length === 0 ? null : finished(record, after, now), undone, refused };
}

/** The numbers of the entries that an entry undoes; none for other changes. */
export function undoneBy({ diff }: Pick<AuditEntry, 'diff'>): number[] {
  const undoes = diff?.[UNDOES];
  return Array.isArray(undoes) ? undoes.map(Number) : [];
}

function isExpired({ expiresAt }: LociRecord, now: Timestamp): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** A value whose time is over by now is not brought back. */
function finished(record: LociRecord, after: LociRecord, now: Timestamp): LociRecord {
  const { updatedAt, deletedAt } = record;
  // An older export has the change. What is brought back must be newer, also when the clock was set back.
  const changed = { updatedAt: Math.max(now, updatedAt + 1, (deletedAt ?? 0) + 1) };
  if (isExpired(after, now)) return { ...record, ...changed, deletedAt: deletedAt ?? now };
  return { ...after, ...changed, deletedAt: after.deletedAt === null ? null : (deletedAt ?? now) };
}

const WRITES: ReadonlySet<string> = new Set(['write', 'store', 'update']);
const DELETIONS: ReadonlySet<string> = new Set(['delete', 'forget']);

/** The record before a change, or why that is not known. */
function reverted(
  record: LociRecord,
  { action, diff, diffHash }: AuditEntry,
  now: Timestamp,
): LociRecord | string {
  if (diff === null && diffHash !== null) return 'the log no longer has what was changed';
  const isDeletion = DELETIONS.has(action);
  if (!isDeletion && action !== 'undelete' && !WRITES.has(action)) return `${action} cannot be undone here`;
  // An undo of changes that add up to none may be about a deleted record.
  const isOfDeleted = WRITES.has(action) && diff?.[UNDOES] !== undefined;
  if (!isOfDeleted && isDeletion !== (record.deletedAt !== null))
    return 'the record is not as this change left it';
  if (isNew(diff)) return record;
  const before = withFormerFields(record, diff ?? {});
  if (before === null) return 'the text is not as this change left it';
  if (WRITES.has(action)) return before;
  return { ...before, deletedAt: isDeletion ? null : now };
}

/** Whether a diff is that of a new record, which has the length of its text only. */
function isNew(diff: AuditEntry['diff']): boolean {
  const content = diff?.['content'] ?? null;
  return isJsonMap(content) && 'characters' in content;
}

function withFormerFields(record: LociRecord, diff: Readonly<Record<string, Json>>): LociRecord | null {
  const { content, [UNDOES]: _, ...fields } = diff;
  const now = auditedFields(record);
  const former: Record<string, Json> = {};
  for (const [field, change] of Object.entries(fields)) {
    if (!isJsonMap(change) || !isDeepStrictEqual(now[field], change['after'])) return null;
    former[field] = change['before'] ?? null;
  }
  const text = content === undefined ? record.content : formerText(record.content, content);
  if (text === null) return null;
  const { expires_at, record_type, ...same } = { ...now, ...former };
  return {
    ...record,
    ...(same as { key: string | null; title: string; category: string; tags: string[]; project: string }),
    metadata: same['metadata'] as Metadata,
    trust: same['trust'] as Trust,
    recordType: record_type as string,
    expiresAt: expires_at === null ? null : Date.parse(expires_at as string),
    content: text,
    contentHash: sha256(text),
  };
}

/** A record, and all that the log has about it, the last entry first. */
interface RecordChanges {
  /** Missing after it was purged. */
  readonly record?: LociRecord;
  readonly entries: readonly AuditEntry[];
}

const ENTRIES_AT_ONCE = 1000;

/** All entries of the log that pass a filter, in the order in which they were written, the last one first. */
export async function logEntries(
  { store, namespace }: EngineContext,
  filter: AuditFilter,
): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  for (let page: readonly AuditEntry[] = []; ;) {
    const after = page.at(-1) ?? null;
    const log = { ...filter, after, limit: ENTRIES_AT_ONCE };
    page = (await store.admin.audit(namespace, { log })).entries;
    for (const entry of page) found.push(entry);
    // The log is ordered by time, and a clock may have been set back.
    if (page.length < ENTRIES_AT_ONCE) return found.sort((a, b) => b.seq - a.seq);
  }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The records with these UUIDs in any state. Subjects of other kinds are left out. */
export async function recordChanges(
  context: EngineContext,
  subjects: readonly (string | null)[],
): Promise<Map<string, RecordChanges>> {
  const { store, namespace } = context;
  const uuids = [...new Set(subjects)].filter(
    (subject) => subject !== null && UUID.test(subject),
  ) as string[];
  if (uuids.length === 0) return new Map();
  const existing = await store.records.findExisting(
    namespace,
    uuids.map((uuid) => ({ uuid })),
  );
  const ids = existing.flatMap(({ sameUuid }) => sameUuid ?? []);
  const records = new Map((await store.records.get(namespace, ids, 'any')).map((each) => [each.uuid, each]));
  const entries = Map.groupBy(await logEntries(context, { subjects: uuids }), ({ subject }) => subject);
  return new Map(
    uuids.map((uuid) => {
      const record = records.get(uuid);
      return [uuid, { ...(record !== undefined && { record }), entries: entries.get(uuid) ?? [] }];
    }),
  );
}

/** The text before a change, of the text after it and what `contentDiff` says; `null` if they do not belong together. */
export function formerText(after: string, change: Json): string | null {
  if (!isJsonMap(change)) return null;
  if (typeof change['patch'] === 'string') return withoutPatch(after, change['patch']);
  const { before, after: described } = change;
  const isSame = isJsonMap(described ?? null) && (described as { sha256?: Json }).sha256 === sha256(after);
  return typeof before === 'string' && isSame ? before : null;
}

/** Every line with its line break. */
const LINES = /[^\n]*\n|[^\n]+$/g;
const NO_LINE_BREAK = '\\';

/** Each hunk must stand exactly where it says. A library would search for another place, which may be a wrong one. */
function withoutPatch(after: string, patch: string): string | null {
  const lines = after.match(LINES) ?? [];
  const former: string[] = [];
  let next = 0;
  for (const { newStart, newLines, lines: changes } of parsePatch(patch)[0]?.hunks ?? []) {
    const start = newStart - 1;
    if (start < next || start + newLines > lines.length) return null;
    for (; next < start; next++) former.push(lines[next]!);
    for (const [i, change] of changes.entries()) {
      const kind = change[0];
      if (kind === NO_LINE_BREAK) continue;
      const line = change.slice(1) + (changes[i + 1]?.[0] === NO_LINE_BREAK ? '' : '\n');
      if (kind !== '-' && lines[next++] !== line) return null;
      if (kind !== '+') former.push(line);
    }
  }
  // `concat` and `push` with all lines at once would fail for long texts.
  for (; next < lines.length; next++) former.push(lines[next]!);
  return former.join('');
}
