import { LociError } from '../../../core/errors.ts';
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
import { unseenItem } from '../../items/kinds.ts';
import type { Page } from '../../model.ts';
import {
  brokenLink,
  CHAIN_START,
  chained,
  diffText,
  neverWritten,
  newEntries,
} from '../../rules/audit-chain.ts';
import type { Scope } from '../driver.ts';
import { itemRow } from '../item.ts';
import type { Chain, NamespaceRow } from '../namespace.ts';
import { storedJson } from '../rows.ts';
import type { Dialect, Parameters, Row, Sql } from '../sql.ts';

const COLUMNS =
  'chain, seq, at, actor, surface, action, subject, session, diff, diff_hash AS "diffHash", previous, hash';

/**
 * Adds entries to the namespace's own chain. Within the transaction of the changes. Returns the items of those that the operator has not
 * seen, and what changes of the namespace.
 */
export async function appendAudit(
  sql: Sql,
  { id: ns, audit: own }: NamespaceRow,
  drafts: readonly AuditDraft[],
): Promise<{ readonly unseen: Row[]; readonly state: Row }> {
  const [first] = drafts;
  if (first === undefined) return { unseen: [], state: {} };
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
  return {
    // Entries are numbered in the order in which such items have their positions.
    unseen: entries.flatMap((entry, i) =>
      drafts[i]?.isUnseen === true ? [itemRow(ns, unseenItem(entry), entry.seq)] : [],
    ),
    state: { audit_chain: chain, audit_length: length, audit_head: head },
  };
}

async function ownChain(sql: Sql, ns: number): Promise<Chain | null> {
  const row = await sql.get(
    `SELECT audit_chain AS chain, audit_length AS length, audit_head AS head FROM namespace_state
     WHERE ns = :ns AND audit_chain IS NOT NULL`,
    { ns },
  );
  return (row as unknown as Chain | undefined) ?? null;
}

/** Erases the diffs of purged records. The entries themselves remain. */
export async function eraseDiffs(sql: Sql, ns: number, subjects: ReadonlySet<string>): Promise<void> {
  // Without statistics, SQLite would scan the whole log.
  await sql.change(
    `UPDATE audit ${sql.dialect.index('audit_subject')} SET diff = NULL
     WHERE ns = :ns AND ${sql.dialect.isIn('subject', 'subjects')} AND diff IS NOT NULL`,
    { ns, subjects: [...subjects] },
  );
  await eraseAttachedDiffs(sql, ns, subjects);
}

export async function readAudit(
  { sql, ns }: Scope,
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
  entries: ({ isIn }) =>
    `chain = (SELECT audit_chain FROM namespace_state WHERE ns = :ns) AND ${isIn('seq', 'entries')}`,
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
function linkOf({ diff: _, session, ...row }: Row): Omit<AuditEntry, 'diff'> {
  return { ...row, ...(session !== null && { session }) } as unknown as Omit<AuditEntry, 'diff'>;
}

/** The attached chains by name. */
async function attachedChains(sql: Sql, ns: number): Promise<Chain[]> {
  const rows = await sql.all(
    `SELECT chain, last_seq AS length, head FROM audit_attachment AS a
     WHERE ns = :ns AND last_seq = (SELECT max(last_seq) FROM audit_attachment WHERE ns = :ns AND chain = a.chain)
     ORDER BY chain`,
    { ns },
  );
  return rows as unknown as Chain[];
}

/** The last entry of a chain that is attached. */
async function attachedChain(sql: Sql, ns: number, chain: string): Promise<Chain> {
  const row = await sql.get(
    `SELECT chain, last_seq AS length, head FROM audit_attachment WHERE ns = :ns AND chain = :chain
     ORDER BY first_seq DESC LIMIT 1`,
    { ns, chain },
  );
  return (row as unknown as Chain | undefined) ?? { chain, length: 0, head: CHAIN_START };
}

/** Each row has at least one entry, so that as many rows as entries suffice. */
async function attachedEntries(
  sql: Sql,
  ns: number,
  chain: string,
  { after, limit }: Page<number>,
): Promise<AuditEntry[]> {
  const rows = await sql.all(
    `SELECT content FROM audit_attachment
     WHERE ns = :ns AND chain = :chain AND last_seq > :after AND first_seq <= :after + :limit ORDER BY first_seq`,
    { ns, chain, after: after ?? 0, limit },
  );
  const entries = rows.flatMap((row) => {
    const parsed = parseEntries(row['content'] as string);
    if (parsed === null)
      throw new LociError('store_corrupt', `the attached audit chain ${chain} is damaged`, {
        hint: 'Restore the store from a backup. `loci doctor` shows what is damaged.',
      });
    return parsed.filter(({ seq }) => seq > (after ?? 0));
  });
  return entries.slice(0, limit);
}

/** @param entries consecutive entries of one chain; none are allowed */
async function attachEntries(sql: Sql, ns: number, entries: readonly AuditEntry[]): Promise<void> {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return;
  const { chain, seq } = first;
  const content = formatEntries(entries);
  await sql.write('audit_attachment', [
    { ns, chain, first_seq: seq, last_seq: last.seq, head: last.hash, content },
  ]);
}

/** Rows of which the contents are read at once. */
const ROWS_AT_ONCE = 100;

interface AttachmentRow {
  readonly chain: string;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly head: string;
  readonly content: string;
}

/** All rows of a namespace by chain and sequence number, some at once. */
async function* attachmentRows(sql: Sql, ns: number): AsyncGenerator<readonly AttachmentRow[], void, void> {
  for (let last = { chain: '', first_seq: 0 }; ;) {
    const rows = (await sql.all(
      `SELECT chain, first_seq, last_seq, head, content FROM audit_attachment
       WHERE ns = :ns AND (chain, first_seq) > (:chain, :first_seq) ORDER BY chain, first_seq LIMIT :limit`,
      { ns, chain: last.chain, first_seq: last.first_seq, limit: ROWS_AT_ONCE },
    )) as unknown as AttachmentRow[];
    if (rows.length === 0) return;
    yield rows;
    last = rows.at(-1)!;
  }
}

async function eraseAttachedDiffs(sql: Sql, ns: number, subjects: ReadonlySet<string>): Promise<void> {
  const isPurged = ({ subject, diff }: AuditEntry): boolean =>
    diff !== null && subject !== null && subjects.has(subject);
  for await (const rows of attachmentRows(sql, ns)) {
    const erased = rows.flatMap(({ chain, first_seq, content }) => {
      // `doctor` reports a damaged row. It must not stop a purge.
      const entries = parseEntries(content);
      if (entries?.some(isPurged) !== true) return [];
      const rest = entries.map((entry) => (isPurged(entry) ? { ...entry, diff: null } : entry));
      return [{ ns, chain, first_seq, content: formatEntries(rest) }];
    });
    await sql.update('audit_attachment', erased);
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

/** Reports rows that are missing or damaged. Hashes are not verified; the store that imports the next export does that. */
async function verifyAttachments(sql: Sql, ns: number): Promise<string[]> {
  const faults: string[] = [];
  let previous = { chain: '', lastSeq: 0 };
  for await (const rows of attachmentRows(sql, ns))
    for (const { chain, first_seq: first, last_seq: last, head, content } of rows) {
      const expected = chain === previous.chain ? previous.lastSeq + 1 : 1;
      const entries = parseEntries(content);
      const isWhole =
        entries?.length === last - first + 1 &&
        entries.every(({ seq, chain: ofEntry }, i) => seq === first + i && ofEntry === chain) &&
        entries.at(-1)?.hash === head;
      const ofChain = `of the attached audit chain ${chain} are`;
      if (first !== expected)
        faults.push(`entries ${String(expected)} to ${String(first - 1)} ${ofChain} missing`);
      if (!isWhole) faults.push(`entries ${String(first)} to ${String(last)} ${ofChain} damaged`);
      previous = { chain, lastSeq: last };
    }
  return faults.slice(0, MAX_FAULTS);
}
