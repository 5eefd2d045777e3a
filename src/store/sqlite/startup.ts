import type { AuditDraft } from '../audit.ts';
import type { StartupEntries, StartupEntry } from '../startup.ts';
import { appendAudit } from './audit.ts';
import type { Database } from './database.ts';
import { ensureNamespace } from './namespaces.ts';

export function startupEntries(db: Database, ns: number): StartupEntry[] {
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

export function putStartup(
  db: Database,
  namespace: string,
  entries: readonly StartupEntry[],
  audit: readonly AuditDraft[],
): void {
  db.transaction(() => {
    const ns = ensureNamespace(db, namespace);
    const put = db.prepare(
      `INSERT OR REPLACE INTO startup
         (ns, agent, key, content, priority, reinforce, created_at, updated_at, deleted_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    for (const entry of entries) {
      const { agent, key, content, priority, reinforce, createdAt, updatedAt, deletedAt } = entry;
      put.run(ns, agent, key, content, priority, reinforce ? 1 : 0, createdAt, updatedAt, deletedAt);
    }
    appendAudit(db, ns, audit);
  });
}

export function startupSeen(db: Database, ns: number, agent: string, session: string): string | null {
  const row = db
    .prepare('SELECT digest FROM startup_seen WHERE ns = ? AND agent = ? AND session = ?')
    .get(ns, agent, session);
  return row === undefined ? null : (row['digest'] as string);
}

export function noteStartupSeen(
  db: Database,
  namespace: string,
  { agent, session, digest, at, forgetBefore, keep }: Parameters<StartupEntries['noteStartupSeen']>[1],
): void {
  db.transaction(() => {
    const ns = ensureNamespace(db, namespace);
    db.prepare('DELETE FROM startup_seen WHERE at < ?').run(forgetBefore);
    db.prepare(
      'INSERT OR REPLACE INTO startup_seen (ns, agent, session, digest, at) VALUES (?, ?, ?, ?, ?)',
    ).run(ns, agent, session, digest, at);
    db.prepare(
      `DELETE FROM startup_seen WHERE ns = ?1 AND (agent, session) IN (
         SELECT agent, session FROM startup_seen WHERE ns = ?1
         ORDER BY at DESC, agent, session LIMIT -1 OFFSET ?2)`,
    ).run(ns, keep);
  });
}
