import { LociError } from '../../../core/errors.ts';
import { parseJson } from '../../../core/json.ts';
import type { AuditDraft, NamespaceRows, RemovalRequest, RemovalStep } from '../../admin-model.ts';
import {
  ADMIN_NAMESPACE,
  type AdminNamespace,
  NAMESPACE_READMISSION,
  NAMESPACE_REMOVAL,
  removalSubject,
} from '../../rules/admin-namespace.ts';
import type { Driver, NamespaceTable } from '../driver.ts';
import { isRemoved, lockNamespace, type NamespaceRow, updateState } from '../namespace.ts';
import { forgetNamespace, type Row, type Sql } from '../sql.ts';
import { appendAudit } from './audit.ts';

/** Tables to which others refer, or that count the rows of others, in the order in which they can be emptied. The rows of all other tables are removed before. */
const REFERENCED = ['embedding', 'passage', 'record', 'quota', 'request_rate'];
/** The row that is locked; it goes with the name. */
const STATE = 'namespace_state';

/** How many rows of the namespace there are, by table; `null` for a namespace that does not exist. */
export async function countNamespaceRows(driver: Driver, namespace: string): Promise<NamespaceRows | null> {
  const { sql, storage } = driver;
  return sql.snapshot(async () => {
    const row = await namespaceRow(sql, namespace);
    if (row === undefined) return null;
    // A replica cannot read how many requests there were, which is not in the log of the database.
    const tables = sorted(await storage.namespaceTables()).filter(({ name }) => name !== 'request_rate');
    const counts = await sql.all(
      tables
        .map(({ name }) => `SELECT '${name}' AS name, count(*) AS n FROM ${name} WHERE ns = :ns`)
        .join(' UNION ALL '),
      { ns: Number(row['id']) },
    );
    const found = counts.map(({ name, n }) => [String(name), Number(n)] as const).filter(([, n]) => n > 0);
    const tokens = await sql.inNamespace(
      ADMIN_NAMESPACE,
      async () => (await tokensOf(sql, namespace)).length,
    );
    return { hasBegun: Number(row['removed']) === 1, tokens, rows: Object.fromEntries(found) };
  });
}

/**
 * Removes some rows of a namespace for ever, in one transaction. The first step also removes its tokens, refuses all further writes
 * to it, and adds an entry to the audit log of the administrative namespace. The last step removes its name.
 * @throws LociError `not_found`
 */
export async function removeNamespace(
  driver: Driver,
  namespace: string,
  { by, limit, after }: RemovalRequest,
): Promise<RemovalStep> {
  const { sql, text, vectors, storage } = driver;
  const tables = sorted(await storage.namespaceTables());
  const step = await sql.transaction(async (): Promise<RemovalStep> => {
    const row = await namespaceRow(sql, namespace, sql.dialect.forUpdate);
    // Another process may end the removal, and the namespace may be made again.
    const isGone = row === undefined || (after !== null && after.ns !== Number(row['id']));
    if (isGone && after !== null) return { rows: 0, next: null };
    if (row === undefined)
      throw new LociError('not_found', `there is no namespace ${JSON.stringify(namespace)}`);
    const ns = Number(row['id']);
    if (Number(row['removed']) === 0) await begin(driver, namespace, row, by);
    let rows = 0;
    for (const [i, { name, key }] of tables.entries()) {
      if (i < (after?.table ?? 0)) continue;
      rows += await sql.run(
        `DELETE FROM ${name} WHERE ns = :ns AND (${key}) IN (SELECT ${key} FROM ${name} WHERE ns = :ns LIMIT :limit)`,
        { ns, limit: limit - rows },
      );
      if (rows >= limit) return { rows, next: { ns, table: i } };
    }
    await text.drop(ns);
    await vectors.rebuild(ns);
    await sql.change('DELETE FROM lease WHERE namespace = :namespace', { namespace });
    await sql.change('DELETE FROM namespace_state WHERE ns = :ns', { ns });
    await sql.change('DELETE FROM namespace WHERE id = :ns', { ns });
    forgetNamespace(sql, namespace);
    return { rows, next: null };
  });
  if (step.next === null) await storage.reclaim();
  return step;
}

async function begin(driver: Driver, namespace: string, row: Row, by: RemovalRequest['by']): Promise<void> {
  const { sql, text } = driver;
  const ns = Number(row['id']);
  await sql.change('UPDATE namespace_state SET removed = 1, epoch = epoch + 1 WHERE ns = :ns', { ns });
  const { chain, length, head, records } = row;
  const log = chain === null ? null : { chain: String(chain), entries: Number(length), head: String(head) };
  const draft = {
    ...{ ...by, action: NAMESPACE_REMOVAL, subject: removalSubject(namespace) },
    diff: { records: Number(records), audit_log: log },
  };
  await sql.inNamespace(ADMIN_NAMESPACE, async () => {
    const admin = await lockNamespace(sql, text, ADMIN_NAMESPACE);
    const keys = await tokensOf(sql, namespace);
    await sql.remove(
      'item',
      keys.map((key) => ({ ns: admin.id, kind: 'token', key })),
    );
    await appendAndCount(sql, admin, draft);
  });
}

async function appendAndCount(sql: Sql, row: NamespaceRow, draft: AuditDraft): Promise<void> {
  const { state } = await appendAudit(sql, row, [draft]);
  await updateState(sql, row.id, state);
}

/** @param forUpdate locks it */
function namespaceRow(sql: Sql, name: string, forUpdate = ''): Promise<Row | undefined> {
  return sql.get(
    `SELECT s.ns AS id, s.removed, s.audit_chain AS chain, s.audit_length AS length, s.audit_head AS head,
       (SELECT count(*) FROM record AS r WHERE r.ns = s.ns AND r.deleted_at IS NULL) AS records
     FROM namespace_state AS s WHERE s.ns = (SELECT id FROM namespace WHERE name = :name) ${forUpdate}`,
    { name },
  );
}

/** The ids of the tokens and sessions that open a namespace. Within the administrative namespace. */
async function tokensOf(sql: Sql, namespace: string): Promise<string[]> {
  const rows = await sql.all(
    "SELECT key, body FROM item WHERE ns = (SELECT id FROM namespace WHERE name = '') AND kind = 'token'",
  );
  return rows
    .filter(
      ({ body }) => (parseJson(String(body)) as { subject?: unknown } | undefined)?.subject === namespace,
    )
    .map(({ key }) => String(key));
}

function sorted(tables: readonly NamespaceTable[]): NamespaceTable[] {
  return tables
    .filter(({ name }) => name !== STATE)
    .toSorted(
      (a, b) => REFERENCED.indexOf(a.name) - REFERENCED.indexOf(b.name) || (a.name < b.name ? -1 : 1),
    );
}

/** The namespaces whose removal has begun and not ended, by name. */
export async function unfinishedRemovals({ sql }: Driver, _admin: AdminNamespace): Promise<string[]> {
  const rows = await sql.all('SELECT name FROM all_removed ORDER BY name');
  return rows.map(({ name }) => String(name));
}

/**
 * Lets a namespace that was removed be written to again. Does nothing if it was not.
 * @throws LociError `conflict` while it is being removed
 */
export async function readmitNamespace(
  { sql, text }: Driver,
  _admin: AdminNamespace,
  namespace: string,
  by: RemovalRequest['by'],
): Promise<void> {
  await sql.transaction(async () => {
    // A removal that has begun holds the lock until it says so.
    const admin = await lockNamespace(sql, text, ADMIN_NAMESPACE);
    const unfinished = await sql.get('SELECT name FROM all_removed WHERE name = :namespace', { namespace });
    if (unfinished !== undefined)
      throw new LociError('conflict', `the namespace ${JSON.stringify(namespace)} is being deleted`, {
        hint: 'Let the deletion end first: run it again.',
      });
    const draft = { ...by, action: NAMESPACE_READMISSION, subject: removalSubject(namespace), diff: null };
    if (await isRemoved(sql, namespace)) await appendAndCount(sql, admin, draft);
  });
}
