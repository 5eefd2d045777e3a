import { LociError } from '../../../core/errors.ts';
import type { Timestamp } from '../../../core/types.ts';
import type { AuditDraft, StoredToken } from '../../admin-model.ts';
import { appendAudit } from './audit.ts';
import type { Database } from '../database/database.ts';
import { ensureNamespace } from '../database/namespaces.ts';

const COLUMNS = 'id, hash, subject, name, scopes, created_at, expires_at, revoked_at';

export function addToken(db: Database, token: StoredToken, audit: readonly AuditDraft[]): void {
  db.transaction(() => {
    const { id, hash, subject, name, scopes, createdAt, expiresAt, revokedAt } = token;
    const taken = db.prepare('SELECT 1 FROM token WHERE id = ? OR hash = ?').get(id, hash);
    if (taken !== undefined)
      throw new LociError('conflict', `a token with the id ${id} or the same hash already exists`);
    const insert = db.prepare(`INSERT INTO token (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
    insert.run(id, hash, subject, name, scopes.join(' '), createdAt, expiresAt, revokedAt);
    appendAudit(db, ensureNamespace(db, subject), audit);
  });
}

export function tokens(db: Database, hash?: string): StoredToken[] {
  const rows =
    hash === undefined
      ? db.prepare(`SELECT ${COLUMNS} FROM token ORDER BY created_at, id`).all()
      : db.prepare(`SELECT ${COLUMNS} FROM token WHERE hash = ?`).all(hash);
  return rows.map(tokenOf);
}

export function revokeToken(db: Database, id: string, at: Timestamp, audit: readonly AuditDraft[]): boolean {
  return db.transaction(() => {
    const token = db.prepare('SELECT subject, revoked_at FROM token WHERE id = ?').get(id);
    if (token === undefined) return false;
    if (token['revoked_at'] !== null) return true;
    db.prepare('UPDATE token SET revoked_at = ? WHERE id = ?').run(at, id);
    appendAudit(db, ensureNamespace(db, token['subject'] as string), audit);
    return true;
  });
}

function tokenOf(row: Readonly<Record<string, unknown>>): StoredToken {
  return {
    id: row['id'] as string,
    hash: row['hash'] as string,
    subject: row['subject'] as string,
    name: row['name'] as string,
    scopes: (row['scopes'] as string).split(' ').filter((scope) => scope !== ''),
    createdAt: row['created_at'] as number,
    expiresAt: row['expires_at'] as number | null,
    revokedAt: row['revoked_at'] as number | null,
  };
}
