import { storedJson } from '../../sql/stored-json.ts';
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
import {
  brokenLink,
  CHAIN_START,
  chained,
  diffText,
  neverWritten,
  newEntries,
} from '../../rules/audit-chain.ts';
import type { Database } from '../database/database.ts';
import { ensureNamespace } from '../database/namespaces.ts';
import type { Row } from '../../sql/rows.ts';
import {
  attachedChain,
  attachedChains,
  attachedEntries,
  attachEntries,
  eraseAttachedDiffs,
  verifyAttachments,
} from './audit-attachments.ts';

const COLUMNS = 'chain, seq, at, actor, surface, action, subject, diff, diff_hash, previous, hash';

/** Adds entries to the namespace's own chain. Within the transaction of the changes. */
export function appendAudit(db: Database, ns: number, drafts: readonly AuditDraft[]): void {
  const [first] = drafts;
  if (first === undefined) return;
  const { chain, ...end } = ownChain(db, ns) ?? startOwnChain(db, ns, first.at);
  let { length, head } = end;
  for (const draft of drafts) {
    const entry = chained(draft, chain, length, head);
    insertEntry(db, ns, entry);
    length = entry.seq;
    head = entry.hash;
  }
  db.prepare('UPDATE audit_log SET length = ?, head = ? WHERE ns = ?').run(length, head, ns);
}

interface Chain {
  readonly chain: string;
  readonly length: number;
  readonly head: string;
}

function ownChain(db: Database, ns: number): Chain | null {
  const row = db.prepare('SELECT chain, length, head FROM audit_log WHERE ns = ?').get(ns);
  return row === undefined ? null : chainOf(row);
}

function startOwnChain(db: Database, ns: number, now: Timestamp): Chain {
  const chain = { chain: uuidv7(now), length: 0, head: CHAIN_START };
  db.prepare('INSERT INTO audit_log (ns, chain, length, head) VALUES (?, ?, 0, ?)').run(
    ns,
    chain.chain,
    chain.head,
  );
  return chain;
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

/** Erases the diffs of purged records. The entries themselves remain. */
export function eraseDiffs(db: Database, ns: number, subjects: ReadonlySet<string>): void {
  // Without statistics, SQLite would scan the whole log.
  const erase = db.prepare(
    'UPDATE audit INDEXED BY audit_subject SET diff = NULL WHERE ns = ? AND subject = ? AND diff IS NOT NULL',
  );
  for (const subject of subjects) erase.run(ns, subject);
  eraseAttachedDiffs(db, ns, subjects);
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
  where('(at, seq) < (?, ?)', after?.at, after?.seq);
  return db
    .prepare(`SELECT ${COLUMNS} FROM audit WHERE ${parts.join(' AND ')} ORDER BY at DESC, seq DESC LIMIT ?`)
    .all(...parameters, limit)
    .map(entryOf);
}

export function auditChain(db: Database, ns: number, chain: string, page: Page<number>): AuditEntry[] {
  if (ownChain(db, ns)?.chain !== chain) return attachedEntries(db, ns, chain, page);
  const { after, limit } = page;
  return db
    .prepare(`SELECT ${COLUMNS} FROM audit WHERE ns = ? AND chain = ? AND seq > ? ORDER BY seq LIMIT ?`)
    .all(ns, chain, after ?? 0, limit)
    .map(entryOf);
}

/** The own chain first. */
export function auditChains(db: Database, ns: number): AuditChain[] {
  const own = ownChain(db, ns);
  return [
    ...(own === null ? [] : [{ chain: own.chain, own: true, length: own.length }]),
    ...attachedChains(db, ns).map(({ chain, length }) => ({ chain, own: false, length })),
  ];
}

/** Adds entries of other chains as attachments. Returns how many are new. */
export function attachAudit(db: Database, namespace: string, entries: readonly AuditEntry[]): number {
  return db.transaction(() => {
    const ns = ensureNamespace(db, namespace);
    let added = 0;
    for (const [chain, links] of Map.groupBy(entries, (entry) => entry.chain)) {
      const own = ownChain(db, ns);
      const isOwn = own?.chain === chain;
      const attached = isOwn ? own : attachedChain(db, ns, chain);
      const first = links.reduce((least, { seq }) => Math.min(least, seq), Infinity);
      const existing = auditChain(db, ns, chain, { after: first - 1, limit: links.length });
      const fresh = newEntries(links, attached, existing);
      if (isOwn && fresh[0] !== undefined) throw neverWritten(fresh[0]);
      attachEntries(db, ns, fresh);
      added += fresh.length;
    }
    return added;
  });
}

/** The maximum number of reported faults. */
const MAX_FAULTS = 5;

/** Returns a message for each position at which entries of the own log are missing or changed, or attached ones are missing. */
export function verifyAudit(db: Database, ns: number): string[] {
  const own = ownChain(db, ns);
  const unregistered = db
    .prepare('SELECT DISTINCT chain FROM audit WHERE ns = ? AND chain IS NOT ?')
    .all(ns, own?.chain ?? null);
  return [
    ...lostDiffs(db, ns),
    ...(own === null ? [] : verifyChain(db, ns, own)),
    ...unregistered.map((row) => `the audit chain ${String(row['chain'])} is not registered`),
    ...verifyAttachments(db, ns),
  ];
}

/** Diffs that are missing although no entry says that their record was purged. */
function lostDiffs(db: Database, ns: number): string[] {
  return db
    .prepare(
      `SELECT seq FROM audit AS a WHERE ns = ? AND diff IS NULL AND diff_hash IS NOT NULL
         AND NOT EXISTS (
           SELECT 1 FROM audit WHERE ns = a.ns AND subject = a.subject AND action IN ('purge', 'expire'))
       ORDER BY seq LIMIT ?`,
    )
    .all(ns, MAX_FAULTS)
    .map((row) => {
      const entry = `entry ${String(row['seq'])} of the audit log`;
      return `the diff of ${entry} is missing, and no entry explains why`;
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
    diff:
      row['diff'] === null
        ? null
        : (storedJson(row['diff'], () => `the changes of audit entry ${String(row['seq'])}`) as AuditDiff),
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
