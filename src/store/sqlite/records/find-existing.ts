import type { ExistingRecords, RecordIdentity } from '../../model.ts';
import type { Database } from '../database/database.ts';

export function findExisting(
  db: Database,
  ns: number,
  identities: readonly RecordIdentity[],
): ExistingRecords[] {
  const byUuid = db.prepare('SELECT id FROM record WHERE ns = ? AND uuid = ?');
  const fact = db.prepare(
    "SELECT id FROM record WHERE ns = ? AND category = ? AND key = ? AND uuid <> ? AND origin = 'fact' AND deleted_at IS NULL",
  );
  const document = db.prepare(
    "SELECT id FROM record WHERE ns = ? AND source = ? AND key = ? AND uuid <> ? AND origin <> 'fact'",
  );
  return identities.map(({ uuid, origin, source = null, category = null, key = null }) => {
    const [byKey, scope] = origin === 'fact' ? [fact, category] : [document, source];
    const sameKey = key === null ? undefined : byKey.get(ns, scope, key, uuid);
    return {
      sameUuid: (byUuid.get(ns, uuid)?.['id'] ?? null) as number | null,
      sameKey: (sameKey?.['id'] ?? null) as number | null,
    };
  });
}
