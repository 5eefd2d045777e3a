import { LociError } from '../../../core/errors.ts';
import type { Timestamp } from '../../../core/types.ts';
import { uuidv7 } from '../../../core/ids.ts';
import type {
  AuditChain,
  AuditCursor,
  AuditDiff,
  AuditDraft,
  AuditEntry,
  AuditFilter,
} from '../../admin-model.ts';
import type { Page } from '../../model.ts';
import { brokenLink, CHAIN_START, chained, diffText, isSameEntry, notOurs } from '../../rules/audit-chain.ts';
import type { Database } from '../database/database.ts';
import { ensureNamespace } from '../database/namespaces.ts';
import type { Row } from '../records/rows.ts';

const COLUMNS = 'chain, seq, at, actor, surface, action, subject, diff, diff_hash, previous, hash';

/** Adds entries to the namespace's own chain. Within the transaction of the changes. */
export function appendAudit(db: Database, ns: number, drafts: readonly AuditDraft[]): void {
  const [first] = drafts;
  if (first === undefined) return;
  const { chain, ...end } = ownChain(db, ns, first.at);
  let { length, head } = end;
  for (const draft of drafts) {
    const entry = chained(draft, chain, length, head);
    insertEntry(db, ns, entry);
    length = entry.seq;
    head = entry.hash;
  }
  growChain(db, ns, chain, length, head);
}

interface Chain {
  readonly chain: string;
  readonly length: number;
  readonly head: string;
}

function ownChain(db: Database, ns: number, now: Timestamp): Chain {
  const row = db.prepare('SELECT chain, length, head FROM audit_chain WHERE ns = ? AND own = 1').get(ns);
  if (row !== undefined) return chainOf(row);
  const chain = uuidv7(now);
  addChain(db, ns, chain, 1);
  return { chain, length: 0, head: CHAIN_START };
}

function addChain(db: Database, ns: number, chain: string, own: 0 | 1): void {
  db.prepare('INSERT INTO audit_chain (ns, chain, own, length, head) VALUES (?, ?, ?, 0, ?)').run(
    ns,
    chain,
    own,
    CHAIN_START,
  );
}

function growChain(db: Database, ns: number, chain: string, length: number, head: string): void {
  db.prepare('UPDATE audit_chain SET length = ?, head = ? WHERE ns = ? AND chain = ?').run(
    length,
    head,
    ns,
    chain,
  );
}

function insertEntry(db: Database, ns: number, entry: AuditEntry): void {
  const { chain, seq, at, actor, surface, action, subject, diff, diffHash, previous, hash } = entry;
  db.prepare(`INSERT INTO audit (ns, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
    ns,
    chain,
    seq,
    at,
    actor,
    surface,
    action,
    subject,
    diffText(diff),
    diffHash,
    previous,
    hash,
  );
}

/** Erases the diffs of a purged record. The entries themselves remain. */
export function eraseDiffs(db: Database, ns: number, subject: string): void {
  // Without statistics, SQLite would scan the whole log.
  db.prepare(
    'UPDATE audit INDEXED BY audit_subject SET diff = NULL WHERE ns = ? AND subject = ? AND diff IS NOT NULL',
  ).run(ns, subject);
}

export function auditEntries(
  db: Database,
  ns: number,
  filter: AuditFilter,
  { after, limit }: Page<AuditCursor>,
): AuditEntry[] {
  const parts = ['ns = ?'];
  const parameters: (string | number)[] = [ns];
  const where = (sql: string, ...values: (string | number | undefined)[]): void => {
    if (values.some((value) => value === undefined)) return;
    parts.push(sql);
    parameters.push(...(values as (string | number)[]));
  };
  where('subject = ?', filter.subject);
  where('action = ?', filter.action);
  where('actor = ?', filter.actor);
  where('surface = ?', filter.surface);
  where('at >= ?', filter.from);
  where('at < ?', filter.until);
  where('(at, chain, seq) < (?, ?, ?)', after?.at, after?.chain, after?.seq);
  return db
    .prepare(
      `SELECT ${COLUMNS} FROM audit WHERE ${parts.join(' AND ')} ORDER BY at DESC, chain DESC, seq DESC LIMIT ?`,
    )
    .all(...parameters, limit)
    .map(entryOf);
}

export function auditChain(
  db: Database,
  ns: number,
  chain: string,
  { after, limit }: Page<number>,
): AuditEntry[] {
  return db
    .prepare(`SELECT ${COLUMNS} FROM audit WHERE ns = ? AND chain = ? AND seq > ? ORDER BY seq LIMIT ?`)
    .all(ns, chain, after ?? 0, limit)
    .map(entryOf);
}

export function auditChains(db: Database, ns: number): AuditChain[] {
  return db
    .prepare('SELECT chain, own, length FROM audit_chain WHERE ns = ? ORDER BY own DESC, chain')
    .all(ns)
    .map((row) => ({
      chain: row['chain'] as string,
      own: row['own'] === 1,
      length: row['length'] as number,
    }));
}

export function importAudit(db: Database, namespace: string, entries: readonly AuditEntry[]): number {
  return db.transaction(() => {
    const ns = ensureNamespace(db, namespace);
    return entries.filter((entry) => importEntry(db, ns, entry)).length;
  });
}

/** Imports an entry. Returns `false` if the store already has it. */
function importEntry(db: Database, ns: number, entry: AuditEntry): boolean {
  const [present] = auditChain(db, ns, entry.chain, { after: entry.seq - 1, limit: 1 });
  if (present?.seq === entry.seq) {
    if (isSameEntry(present, entry)) return false;
    throw new LociError(
      'conflict',
      `entry ${String(entry.seq)} of the audit chain ${entry.chain} differs from the one in this store`,
    );
  }
  const select = db.prepare('SELECT chain, own, length, head FROM audit_chain WHERE ns = ? AND chain = ?');
  const row = select.get(ns, entry.chain);
  if (row?.['own'] === 1) throw notOurs(entry);
  if (row === undefined) addChain(db, ns, entry.chain, 0);
  const { length, head } = row === undefined ? { length: 0, head: CHAIN_START } : chainOf(row);
  const broken = brokenLink(entry, diffText(entry.diff), length, head);
  if (broken !== null) throw new LociError('invalid_input', `the audit chain ${entry.chain}: ${broken}`);
  insertEntry(db, ns, entry);
  growChain(db, ns, entry.chain, entry.seq, entry.hash);
  return true;
}

/** The maximum number of reported faults of one chain. */
const MAX_FAULTS = 5;

/** Returns a message for each place where the log was cut or changed. */
export function verifyAudit(db: Database, ns: number): string[] {
  const chains = db.prepare('SELECT chain, length, head FROM audit_chain WHERE ns = ?').all(ns).map(chainOf);
  const unregistered = db
    .prepare(
      `SELECT DISTINCT chain FROM audit WHERE ns = ?
       EXCEPT SELECT chain FROM audit_chain WHERE ns = ?`,
    )
    .all(ns, ns);
  return [
    ...lostDiffs(db, ns),
    ...chains.flatMap((chain) => verifyChain(db, ns, chain).map((what) => `${what} (chain ${chain.chain})`)),
    ...unregistered.map((row) => `the audit chain ${String(row['chain'])} is not registered`),
  ];
}

/** Diffs that are missing although no entry says that their record was purged. Imported chains may not have that entry. */
function lostDiffs(db: Database, ns: number): string[] {
  return db
    .prepare(
      `SELECT seq, chain FROM audit AS a WHERE ns = ? AND diff IS NULL AND diff_hash IS NOT NULL
         AND chain IN (SELECT chain FROM audit_chain WHERE ns = a.ns AND own = 1)
         AND NOT EXISTS (
           SELECT 1 FROM audit WHERE ns = a.ns AND subject = a.subject AND action IN ('purge', 'expire')
             AND chain = a.chain)
       ORDER BY seq LIMIT ?`,
    )
    .all(ns, MAX_FAULTS)
    .map((row) => {
      const entry = `entry ${String(row['seq'])} of the audit log`;
      return `the diff of ${entry} is missing, and no entry explains why (chain ${String(row['chain'])})`;
    });
}

function verifyChain(db: Database, ns: number, { chain, length: expected, head: end }: Chain): string[] {
  const findings: string[] = [];
  const entries = db.prepare(`SELECT ${COLUMNS} FROM audit WHERE ns = ? AND chain = ? ORDER BY seq`);
  let [length, head] = [0, CHAIN_START];
  for (const row of entries.iterate(ns, chain)) {
    const entry = linkOf(row);
    const broken = brokenLink(entry, row['diff'] as string | null, length, head);
    if (broken !== null && findings.length < MAX_FAULTS) findings.push(broken);
    length = entry.seq;
    head = entry.hash;
  }
  if (length < expected) {
    const missing = `entries ${String(length + 1)} to ${String(expected)} of the audit log are missing`;
    findings.push(`${missing} at its end`);
  } else if (head !== end && findings.length === 0) {
    findings.push('the last entry of the audit log is not the one that was written last');
  }
  return findings;
}

function chainOf(row: Row): Chain {
  return { chain: row['chain'] as string, length: row['length'] as number, head: row['head'] as string };
}

function entryOf(row: Row): AuditEntry {
  return {
    ...linkOf(row),
    diff: row['diff'] === null ? null : (JSON.parse(row['diff'] as string) as AuditDiff),
  };
}

/** An entry without its diff, which may not be valid JSON if it was changed outside Loci. */
function linkOf(row: Row): Omit<AuditEntry, 'diff'> {
  return {
    chain: row['chain'] as string,
    seq: row['seq'] as number,
    at: row['at'] as number,
    actor: row['actor'] as string,
    surface: row['surface'] as string,
    action: row['action'] as string,
    subject: row['subject'] as string | null,
    diffHash: row['diff_hash'] as string | null,
    previous: row['previous'] as string,
    hash: row['hash'] as string,
  };
}
