import type { LociRecord } from '../../core/types.ts';
import type { AuditEntry, AuditFilter } from '../../store/admin-model.ts';
import type { EngineContext } from '../context.ts';

/** A record, and all that the log has about it, the last entry first. */
export interface RecordChanges {
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
