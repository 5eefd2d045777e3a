import { LociError } from '../../../core/errors.ts';
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
    const parsed = parseEntries(row['content'] as string);
    if (parsed === null)
      throw new LociError('store_corrupt', `the attached audit chain ${chain} is damaged`, {
        hint: 'Restore the store from a backup. `loci doctor` shows what is damaged.',
      });
    entries.push(...parsed.filter(({ seq }) => seq > (after ?? 0)));
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
    // `doctor` reports a damaged row. It must not stop a purge.
    const entries = parseEntries(content);
    if (entries === null) continue;
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

/** Returns `null` for a row that was changed outside Loci and is not JSON. */
function parseEntries(content: string): AuditEntry[] | null {
  try {
    return content.split('\n').map((line) => JSON.parse(line) as AuditEntry);
  } catch {
    return null;
  }
}

/** The maximum number of reported faults. */
const MAX_FAULTS = 5;

/** Reports rows that are missing or damaged. Hashes are not verified; the store that imports the next export does that. */
export function verifyAttachments(db: Database, ns: number): string[] {
  const rows = db
    .prepare(
      'SELECT chain, first_seq, last_seq, head, content FROM audit_attachment WHERE ns = ? ORDER BY chain, first_seq',
    )
    .iterate(ns);
  const faults: string[] = [];
  let previous = { chain: '', lastSeq: 0 };
  for (const row of rows) {
    const [chain, first, last] = [
      row['chain'] as string,
      row['first_seq'] as number,
      row['last_seq'] as number,
    ];
    const expected = chain === previous.chain ? previous.lastSeq + 1 : 1;
    const range = `entries ${String(first)} to ${String(last)} of the attached audit chain ${chain}`;
    const entries = parseEntries(row['content'] as string);
    const isWhole =
      entries?.length === last - first + 1 &&
      entries.every(({ seq, chain: ofEntry }, i) => seq === first + i && ofEntry === chain) &&
      entries.at(-1)?.hash === row['head'];
    if (first !== expected)
      faults.push(
        `entries ${String(expected)} to ${String(first - 1)} of the attached audit chain ${chain} are missing`,
      );
    if (!isWhole) faults.push(`${range} are damaged`);
    previous = { chain, lastSeq: last };
  }
  return faults.slice(0, MAX_FAULTS);
}
