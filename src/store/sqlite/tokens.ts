import { LociError } from '../../core/errors.ts';
import type { Timestamp } from '../../core/types.ts';
import type { StoredToken } from '../tokens.ts';
import type { Database } from './database.ts';

const COLUMNS = 'id, hash, subject, name, scopes, created_at, expires_at, revoked_at';

export function addToken(db: Database, token: StoredToken): void {
  db.transaction(() => {
    const { id, hash, subject, name, scopes, createdAt, expiresAt, revokedAt } = token;
    const taken = db.prepare('SELECT 1 FROM token WHERE id = ? OR hash = ?').get(id, hash);
    if (taken !== undefined) throw new LociError('conflict', `there is a token of the id ${id} already`);
    const insert = db.prepare(`INSERT INTO token (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
    insert.run(id, hash, subject, name, scopes.join(' '), createdAt, expiresAt, revokedAt);
  });
}

export function tokens(db: Database): StoredToken[] {
  return db.prepare(`SELECT ${COLUMNS} FROM token ORDER BY created_at, id`).all().map(tokenOf);
}

export function tokenByHash(db: Database, hash: string): StoredToken | null {
  const row = db.prepare(`SELECT ${COLUMNS} FROM token WHERE hash = ?`).get(hash);
  return row === undefined ? null : tokenOf(row);
}

export function revokeToken(db: Database, id: string, at: Timestamp): boolean {
  return db.transaction(() => {
    db.prepare('UPDATE token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL').run(at, id);
    return db.prepare('SELECT 1 FROM token WHERE id = ?').get(id) !== undefined;
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
