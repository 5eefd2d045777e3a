import type { AuditEntry } from '../../admin-model.ts';
import type { Page } from '../../model.ts';
import { CHAIN_START } from '../../rules/audit-chain.ts';
import type { Database } from '../database/database.ts';

/** The last entry of a chain that is attached. */
interface ChainEnd {
  readonly length: number;
  readonly head: string;
}

export function attachedChain(db: Database, ns: number, chain: string): ChainEnd {
  const row = db
    .prepare('SELECT max(last_seq) AS length, head FROM audit_attachment WHERE ns = ? AND chain = ?')
    .get(ns, chain);
  if (row === undefined || row['length'] === null) return { length: 0, head: CHAIN_START };
  return { length: row['length'] as number, head: row['head'] as string };
}

export function attachedChains(
  db: Database,
  ns: number,
): { readonly chain: string; readonly length: number }[] {
  return db
    .prepare(
      'SELECT chain, max(last_seq) AS length FROM audit_attachment WHERE ns = ? GROUP BY chain ORDER BY chain',
    )
    .all(ns)
    .map((row) => ({ chain: row['chain'] as string, length: row['length'] as number }));
}

export function attachedEntries(
  db: Database,
  ns: number,
  chain: string,
  { after, limit }: Page<number>,
): AuditEntry[] {
  const rows = db
    .prepare(
      `SELECT content FROM audit_attachment WHERE ns = ? AND chain = ? AND last_seq > ? ORDER BY first_seq`,
    )
    .iterate(ns, chain, after ?? 0);
  const entries: AuditEntry[] = [];
  for (const row of rows) {
    if (entries.length >= limit) break;
    entries.push(...parseEntries(row['content'] as string).filter(({ seq }) => seq > (after ?? 0)));
  }
  return entries.slice(0, limit);
}

/** @param entries consecutive entries of one chain; none are allowed */
export function attachEntries(db: Database, ns: number, entries: readonly AuditEntry[]): void {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return;
  db.prepare(
    'INSERT INTO audit_attachment (ns, chain, first_seq, last_seq, head, content) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(ns, first.chain, first.seq, last.seq, last.hash, formatEntries(entries));
}

export function eraseAttachedDiffs(db: Database, ns: number, subjects: ReadonlySet<string>): void {
  const update = db.prepare('UPDATE audit_attachment SET content = ? WHERE id = ?');
  // All ids first, because a statement that is being read must not see its own changes.
  const ids = db.prepare('SELECT id FROM audit_attachment WHERE ns = ?').all(ns);
  const select = db.prepare('SELECT content FROM audit_attachment WHERE id = ?');
  for (const { id } of ids) {
    const content = select.get(id as number)?.['content'] as string;
    const entries = parseEntries(content);
    const isPurged = ({ subject, diff }: AuditEntry): boolean =>
      diff !== null && subject !== null && subjects.has(subject);
    if (!entries.some(isPurged)) continue;
    const erased = entries.map((entry) => (isPurged(entry) ? { ...entry, diff: null } : entry));
    update.run(formatEntries(erased), id as number);
  }
}

function formatEntries(entries: readonly AuditEntry[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join('\n');
}

function parseEntries(content: string): AuditEntry[] {
  return content.split('\n').map((line) => JSON.parse(line) as AuditEntry);
}
