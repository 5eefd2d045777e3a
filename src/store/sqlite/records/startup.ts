import type { StartupEntry, StartupState } from '../../admin-model.ts';
import type { StartupDigest } from '../../model.ts';
import type { Database } from '../database/database.ts';

export function startupState(
  db: Database,
  ns: number,
  session?: { readonly agent: string; readonly session: string },
): StartupState {
  return {
    entries: startupEntries(db, ns),
    digest: session === undefined ? null : startupDigest(db, ns, session.agent, session.session),
  };
}

function startupEntries(db: Database, ns: number): StartupEntry[] {
  return db
    .prepare(
      `SELECT agent, key, content, priority, reinforce, created_at, updated_at, deleted_at FROM startup
       WHERE ns = ? ORDER BY priority, key, agent`,
    )
    .all(ns)
    .map((row) => ({
      agent: row['agent'] as string,
      key: row['key'] as string,
      content: row['content'] as string,
      priority: row['priority'] as number,
      reinforce: row['reinforce'] === 1,
      createdAt: row['created_at'] as number,
      updatedAt: row['updated_at'] as number,
      deletedAt: row['deleted_at'] as number | null,
    }));
}

/** Within a transaction. */
export function putStartupEntries(db: Database, ns: number, entries: readonly StartupEntry[]): void {
  const put = db.prepare(
    `INSERT OR REPLACE INTO startup
       (ns, agent, key, content, priority, reinforce, created_at, updated_at, deleted_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const entry of entries) {
    const { agent, key, content, priority, reinforce, createdAt, updatedAt, deletedAt } = entry;
    put.run(ns, agent, key, content, priority, reinforce ? 1 : 0, createdAt, updatedAt, deletedAt);
  }
}

function startupDigest(db: Database, ns: number, agent: string, session: string): string | null {
  const row = db
    .prepare('SELECT digest FROM startup_seen WHERE ns = ? AND agent = ? AND session = ?')
    .get(ns, agent, session);
  return row === undefined ? null : (row['digest'] as string);
}

/** Within a transaction. */
export function putStartupDigest(
  db: Database,
  ns: number,
  { agent, session, digest, at, forgetBefore, keep }: StartupDigest,
): void {
  db.prepare('DELETE FROM startup_seen WHERE ns = ? AND at < ?').run(ns, forgetBefore);
  db.prepare(
    'INSERT OR REPLACE INTO startup_seen (ns, agent, session, digest, at) VALUES (?, ?, ?, ?, ?)',
  ).run(ns, agent, session, digest, at);
  db.prepare(
    `DELETE FROM startup_seen WHERE ns = ?1 AND (agent, session) IN (
       SELECT agent, session FROM startup_seen WHERE ns = ?1
       ORDER BY at DESC, agent, session LIMIT -1 OFFSET ?2)`,
  ).run(ns, keep);
}
