import { LociError } from '../../../core/errors.ts';
import type { AuditEntry } from '../../admin-model.ts';
import type { Page } from '../../model.ts';
import { CHAIN_START } from '../../rules/audit-chain.ts';
import type { Sql } from '../sql.ts';

/** A chain, and its last entry. */
export interface Chain {
  readonly chain: string;
  readonly length: number;
  readonly head: string;
}

/** The attached chains by name. */
export async function attachedChains(sql: Sql, ns: number): Promise<Chain[]> {
  const rows = await sql.all(
    `SELECT chain, last_seq AS length, head FROM audit_attachment AS a
     WHERE ns = :ns AND last_seq = (SELECT max(last_seq) FROM audit_attachment WHERE ns = :ns AND chain = a.chain)
     ORDER BY chain`,
    { ns },
  );
  return rows as unknown as Chain[];
}

/** The last entry of a chain that is attached. */
export async function attachedChain(sql: Sql, ns: number, chain: string): Promise<Chain> {
  const row = await sql.get(
    `SELECT chain, last_seq AS length, head FROM audit_attachment WHERE ns = :ns AND chain = :chain
     ORDER BY first_seq DESC LIMIT 1`,
    { ns, chain },
  );
  return (row as unknown as Chain | undefined) ?? { chain, length: 0, head: CHAIN_START };
}

/** Each row has at least one entry, so that as many rows as entries suffice. */
export async function attachedEntries(
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
export async function attachEntries(sql: Sql, ns: number, entries: readonly AuditEntry[]): Promise<void> {
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

export async function eraseAttachedDiffs(sql: Sql, ns: number, subjects: ReadonlySet<string>): Promise<void> {
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

/** The maximum number of reported faults. */
const MAX_FAULTS = 5;

/** Reports rows that are missing or damaged. Hashes are not verified; the store that imports the next export does that. */
export async function verifyAttachments(sql: Sql, ns: number): Promise<string[]> {
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
