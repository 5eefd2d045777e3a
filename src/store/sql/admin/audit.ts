import { uuidv7 } from '../../../core/ids.ts';
import type {
  AuditChain,
  AuditDiff,
  AuditDraft,
  AuditEntry,
  AuditFilter,
  AuditReport,
  AuditRequest,
} from '../../admin-model.ts';
import { unseenPut } from '../../items/kinds.ts';
import type { Page } from '../../model.ts';
import {
  brokenLink,
  CHAIN_START,
  chained,
  diffText,
  neverWritten,
  newEntries,
} from '../../rules/audit-chain.ts';
import type { NamespaceRow } from '../namespace.ts';
import { changeItems } from '../item.ts';
import type { Dialect, Parameters, Row, Sql } from '../sql.ts';
import { storedJson } from '../stored-json.ts';
import {
  attachedChain,
  attachedChains,
  attachedEntries,
  attachEntries,
  type Chain,
  eraseAttachedDiffs,
  verifyAttachments,
} from './audit-attachments.ts';

const COLUMNS = 'chain, seq, at, actor, surface, action, subject, session, diff, diff_hash, previous, hash';

/** Adds entries to the namespace's own chain. Within the transaction of the changes. */
export async function appendAudit(
  sql: Sql,
  { id: ns, audit: own }: NamespaceRow,
  drafts: readonly AuditDraft[],
): Promise<void> {
  const [first] = drafts;
  if (first === undefined) return;
  const chain = own?.chain ?? uuidv7(first.at);
  let { length, head } = own ?? { length: 0, head: CHAIN_START };
  const entries = drafts.map((draft) => {
    const entry = chained(draft, chain, length, head);
    ({ seq: length, hash: head } = entry);
    return entry;
  });
  await sql.write(
    'audit',
    entries.map(
      ({ seq, at, actor, surface, action, subject, session = null, diff, diffHash, previous, hash }) => ({
        ...{ ns, chain, seq, at, actor, surface, action, subject, session, previous, hash },
        diff: diffText(diff),
        diff_hash: diffHash,
      }),
    ),
  );
  if (own === null) await sql.write('audit_log', [{ ns, chain, length, head }]);
  else await sql.update('audit_log', [{ ns, length, head }]);
  await changeItems(
    sql,
    ns,
    entries.flatMap((entry, i) => (drafts[i]?.isUnseen === true ? [unseenPut(entry)] : [])),
  );
}

async function ownChain(sql: Sql, ns: number): Promise<Chain | null> {
  const row = await sql.get('SELECT chain, length, head FROM audit_log WHERE ns = :ns', { ns });
  return (row as unknown as Chain | undefined) ?? null;
}

/** Erases the diffs of purged records. The entries themselves remain. */
export async function eraseDiffs(sql: Sql, ns: number, subjects: ReadonlySet<string>): Promise<void> {
  // Without statistics, SQLite would scan the whole log.
  await sql.run(
    `UPDATE audit ${sql.dialect.index('audit_subject')} SET diff = NULL
     WHERE ns = :ns AND ${sql.dialect.isIn('subject', 'subjects')} AND diff IS NOT NULL`,
    { ns, subjects: [...subjects] },
  );
  await eraseAttachedDiffs(sql, ns, subjects);
}

export const NO_AUDIT: AuditReport = { entries: [], chains: [], faults: [] };

export async function readAudit(
  sql: Sql,
  ns: number,
  { log, chain, chains, faults }: AuditRequest,
): Promise<AuditReport> {
  return {
    entries: [
      ...(log === undefined ? [] : await logEntries(sql, ns, log)),
      ...(chain === undefined ? [] : await chainEntries(sql, ns, chain.name, chain)),
    ],
    chains: chains === true ? await allChains(sql, ns) : [],
    faults: faults === true ? await verifyAudit(sql, ns) : [],
  };
}

const CONDITIONS: Readonly<Record<string, string | ((dialect: Dialect) => string)>> = {
  subject: 'subject = :subject',
  subjects: ({ isIn }) => isIn('subject', 'subjects'),
  entries: ({ isIn }) => `chain = (SELECT chain FROM audit_log WHERE ns = :ns) AND ${isIn('seq', 'entries')}`,
  session: 'session = :session',
  action: 'action = :action',
  actor: 'actor = :actor',
  surface: 'surface = :surface',
  from: 'at >= :from',
  until: 'at < :until',
};

async function logEntries(
  sql: Sql,
  ns: number,
  { after, limit, ...filter }: NonNullable<AuditRequest['log']>,
): Promise<AuditEntry[]> {
  const given = Object.entries(filter as Parameters).filter(([name]) => Object.hasOwn(CONDITIONS, name));
  const conditions = given.flatMap(([name]) => {
    const condition = CONDITIONS[name];
    return condition === undefined
      ? []
      : [typeof condition === 'string' ? condition : condition(sql.dialect)];
  });
  if (after !== null) conditions.push('(at, seq) < (:after_at, :after_seq)');
  const parameters: Parameters = {
    ...Object.fromEntries(given),
    ...(after !== null && { after_at: after.at, after_seq: after.seq }),
  };
  const rows = await sql.all(
    `SELECT ${COLUMNS} FROM audit ${indexOf(sql, filter)} WHERE ${['ns = :ns', ...conditions].join(' AND ')} ORDER BY at DESC, seq DESC LIMIT :limit`,
    { ns, limit, ...parameters },
  );
  return rows.map(entryOf);
}

/** Without statistics, SQLite would scan the whole log. */
function indexOf({ dialect }: Sql, { subjects, entries, session }: AuditFilter): string {
  if (subjects !== undefined) return dialect.index('audit_subject');
  if (entries !== undefined) return dialect.index('sqlite_autoindex_audit_1');
  return session === undefined ? '' : dialect.index('audit_session');
}

async function chainEntries(sql: Sql, ns: number, chain: string, page: Page<number>): Promise<AuditEntry[]> {
  if ((await ownChain(sql, ns))?.chain !== chain) return attachedEntries(sql, ns, chain, page);
  return (await ownRows(sql, ns, chain, page)).map(entryOf);
}

function ownRows(sql: Sql, ns: number, chain: string, { after, limit }: Page<number>): Promise<Row[]> {
  return sql.all(
    `SELECT ${COLUMNS} FROM audit WHERE ns = :ns AND chain = :chain AND seq > :after ORDER BY seq LIMIT :limit`,
    { ns, chain, after: after ?? 0, limit },
  );
}

/** The own chain first. */
async function allChains(sql: Sql, ns: number): Promise<AuditChain[]> {
  const own = await ownChain(sql, ns);
  return [
    ...(own === null ? [] : [{ chain: own.chain, own: true, length: own.length }]),
    ...(await attachedChains(sql, ns)).map(({ chain, length }) => ({ chain, own: false, length })),
  ];
}

/** Adds entries of other chains as attachments. Within a transaction. @throws LociError `invalid_input`, `conflict` */
export async function attachAudit(sql: Sql, ns: number, entries: readonly AuditEntry[]): Promise<void> {
  const own = await ownChain(sql, ns);
  for (const [chain, links] of Map.groupBy(entries, (entry) => entry.chain)) {
    const isOwn = own?.chain === chain;
    const attached = isOwn ? own : await attachedChain(sql, ns, chain);
    const first = links.reduce((least, { seq }) => Math.min(least, seq), Infinity);
    const existing = await chainEntries(sql, ns, chain, { after: first - 1, limit: links.length });
    const fresh = newEntries(links, attached, existing);
    if (isOwn && fresh[0] !== undefined) throw neverWritten(fresh[0]);
    await attachEntries(sql, ns, fresh);
  }
}

/** The maximum number of reported faults of one kind. */
const MAX_FAULTS = 5;
/** Entries that are verified at once. */
const ENTRIES_AT_ONCE = 1000;

/** Returns a message for each position at which entries of the own log are missing or changed, or attached ones are missing. */
async function verifyAudit(sql: Sql, ns: number): Promise<string[]> {
  const own = await ownChain(sql, ns);
  const unregistered = await sql.all('SELECT DISTINCT chain FROM audit WHERE ns = :ns AND chain <> :chain', {
    ns,
    chain: own?.chain ?? '',
  });
  return [
    ...(await lostDiffs(sql, ns)),
    ...(own === null ? [] : await verifyChain(sql, ns, own)),
    ...unregistered.map((row) => `the audit chain ${String(row['chain'])} is not registered`),
    ...(await verifyAttachments(sql, ns)),
  ];
}

/** Diffs that are missing although no entry says that their record was purged. */
async function lostDiffs(sql: Sql, ns: number): Promise<string[]> {
  const rows = await sql.all(
    `SELECT seq FROM audit AS a WHERE ns = :ns AND diff IS NULL AND diff_hash IS NOT NULL
       AND NOT EXISTS (
         SELECT 1 FROM audit WHERE ns = a.ns AND subject = a.subject AND action IN ('purge', 'expire'))
     ORDER BY seq LIMIT :limit`,
    { ns, limit: MAX_FAULTS },
  );
  return rows.map((row) => {
    const entry = `entry ${String(row['seq'])} of the audit log`;
    return `the diff of ${entry} is missing, and no entry explains why`;
  });
}

async function verifyChain(
  sql: Sql,
  ns: number,
  { chain, length: expected, head: end }: Chain,
): Promise<string[]> {
  const findings: string[] = [];
  let [length, head] = [0, CHAIN_START];
  for (let rows: Row[] = [{ seq: 0 }]; rows.length > 0;) {
    const after = Number(rows.at(-1)!['seq']);
    rows = await ownRows(sql, ns, chain, { after, limit: ENTRIES_AT_ONCE });
    for (const row of rows) {
      const entry = linkOf(row);
      const broken = brokenLink(entry, row['diff'] as string | null, length, head);
      if (broken !== null && findings.length < MAX_FAULTS) findings.push(broken);
      ({ seq: length, hash: head } = entry);
    }
  }
  if (length < expected) {
    const missing = `entries ${String(length + 1)} to ${String(expected)} of the audit log are missing`;
    findings.push(`${missing} at its end`);
  } else if (head !== end && findings.length === 0) {
    findings.push('the last entry of the audit log is not the one that was written last');
  }
  return findings;
}

function entryOf(row: Row): AuditEntry {
  const name = (): string => `the changes of audit entry ${String(row['seq'])}`;
  return { ...linkOf(row), diff: row['diff'] === null ? null : (storedJson(row['diff'], name) as AuditDiff) };
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
    ...(row['session'] !== null && { session: row['session'] as string }),
    diffHash: row['diff_hash'] as string | null,
    previous: row['previous'] as string,
    hash: row['hash'] as string,
  };
}
