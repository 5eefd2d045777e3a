import type { Metadata } from '../../../core/types.ts';
import { LinkIndex, linksIn, nameOfKey, nameOfLink } from '../../rules/link-index.ts';
import { isSourced } from '../../rules/filter.ts';
import type { Database } from '../database/database.ts';
import { headerOf, HEADER_COLUMNS, type Row } from '../../sql/rows.ts';

/** A row of `link`, without the namespace and the record. */
interface LinkRow {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly name: string;
  readonly target_record: number | null;
}

/** The fields of a record that determine its links and whether it can be the target of one. */
interface LinkingRecord {
  readonly source: string;
  readonly key: string;
  readonly metadata: Metadata;
  readonly isTarget: boolean;
}

/**
 * Updates the links of these records, and the links of other records whose target changes because a key was added, changed
 * or removed. Within a transaction, after the records were written. Returns the records whose links changed their target.
 */
export function deriveLinks(db: Database, ns: number, records: ReadonlySet<number>): Set<number> {
  const select = db.prepare(`SELECT ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.id = ?`);
  const current = [...records].map((id) => ({ id, record: linkingRecord(select.get(ns, id)) }));
  const changedKeys = new Map<string, LinkKey>();
  for (const { id, record } of current)
    for (const key of updateKey(db, ns, id, record))
      changedKeys.set(JSON.stringify([key.source, key.name]), key);
  const resolve = resolver(db, ns);
  for (const { id, record } of current)
    replaceLinks(db, ns, id, record === null ? [] : linkRows(record, resolve));
  const resolved = new Set<number>();
  for (const { source, name } of changedKeys.values())
    resolveLinksByName(db, ns, source, name, resolve, resolved);
  return resolved;
}

/** Derives all links of a namespace again. Within a transaction. */
export function rebuildLinks(db: Database, ns: number): void {
  db.prepare('DELETE FROM link WHERE ns = ?').run(ns);
  db.prepare('DELETE FROM link_key WHERE ns = ?').run(ns);
  const resolve = scanningResolver(db, ns);
  for (const [id, record] of linkingRecords(db, ns)) {
    updateKey(db, ns, id, record);
    replaceLinks(db, ns, id, linkRows(record, resolve));
  }
}

/** Every record that has links or can be the target of one. */
function* linkingRecords(db: Database, ns: number): Generator<[id: number, record: LinkingRecord]> {
  const scan = db.prepare(
    `SELECT ${HEADER_COLUMNS} FROM record AS r WHERE r.ns = ? AND r.key IS NOT NULL AND r.deleted_at IS NULL`,
  );
  for (const row of scan.iterate(ns)) {
    const record = linkingRecord(row);
    if (record !== null) yield [row['id'] as number, record];
  }
}

/** Returns `null` for a record that has no links and cannot be the target of one. */
function linkingRecord(row: Row | undefined): LinkingRecord | null {
  if (row === undefined) return null;
  const record = headerOf('', row, 'is empty');
  const { source, key, metadata, deletedAt } = record;
  return key === null || deletedAt !== null ? null : { source, key, metadata, isTarget: isSourced(record) };
}

interface LinkKey {
  readonly source: string;
  readonly name: string;
  readonly key: string;
}

function keyRow(db: Database, ns: number, record: number): LinkKey | undefined {
  const select = db.prepare('SELECT source, name, key FROM link_key WHERE ns = ? AND record = ?');
  return select.get(ns, record) as LinkKey | undefined;
}

function sameKey(row: LinkKey | undefined, record: LinkingRecord | null): boolean {
  return record?.isTarget === true
    ? row?.source === record.source && row.key === record.key
    : row === undefined;
}

/** Writes the key of a record as a link target. Returns the old and the new key if they differ. */
function updateKey(db: Database, ns: number, id: number, record: LinkingRecord | null): LinkKey[] {
  const before = keyRow(db, ns, id);
  if (sameKey(before, record)) return [];
  db.prepare('DELETE FROM link_key WHERE ns = ? AND record = ?').run(ns, id);
  if (record?.isTarget !== true) return before === undefined ? [] : [before];
  const { source, key } = record;
  const after = { source, name: nameOfKey(key), key };
  db.prepare('INSERT INTO link_key (ns, record, source, name, key) VALUES (?, ?, ?, ?, ?)').run(
    ns,
    id,
    source,
    after.name,
    key,
  );
  return before === undefined ? [after] : [before, after];
}

/** Returns the record that a link with this name refers to. */
type Resolve = (source: string, name: string, target: string, fromKey: string) => number | null;

/** Documents by key, with an index that finds the key that a link refers to. */
class LinkTargets {
  readonly #records: ReadonlyMap<string, number>;
  readonly #index: LinkIndex;

  constructor(records: ReadonlyMap<string, number>) {
    this.#records = records;
    this.#index = new LinkIndex([...records.keys()]);
  }

  resolve(target: string, fromKey: string): number | null {
    const key = this.#index.resolve(target, fromKey);
    return key === null ? null : (this.#records.get(key) ?? null);
  }
}

/** Resolves links, reading only the keys that have the name of the link. */
function resolver(db: Database, ns: number): Resolve {
  const targetsByName = new Map<string, LinkTargets>();
  const select = db.prepare(
    'SELECT key, record FROM link_key WHERE ns = ? AND source = ? AND name = ? ORDER BY key',
  );
  return (source, name, target, fromKey) => {
    const id = `${source}\0${name}`;
    let targets = targetsByName.get(id);
    if (targets === undefined) {
      const rows = select.all(ns, source, name);
      targets = new LinkTargets(new Map(rows.map((row) => [row['key'] as string, row['record'] as number])));
      targetsByName.set(id, targets);
    }
    return targets.resolve(target, fromKey);
  };
}

/** Resolves links with all keys of the source, which it reads from the records. */
function scanningResolver(db: Database, ns: number): Resolve {
  const keys = new Map<string, Map<string, number>>();
  const documents = db.prepare(
    `SELECT source, key, id FROM record WHERE ns = ? AND key IS NOT NULL AND deleted_at IS NULL
     AND origin IN ('vault', 'source')`,
  );
  for (const row of documents.iterate(ns)) {
    const source = row['source'] as string;
    const ofSource = keys.get(source) ?? new Map<string, number>();
    keys.set(source, ofSource.set(row['key'] as string, row['id'] as number));
  }
  const targets = new Map([...keys].map(([source, ofSource]) => [source, new LinkTargets(ofSource)]));
  return (source, _name, target, fromKey) => targets.get(source)?.resolve(target, fromKey) ?? null;
}

function linkRows({ source, key, metadata }: LinkingRecord, resolve: Resolve): LinkRow[] {
  return linksIn(metadata).map(({ target, type }) => {
    const name = nameOfLink(target, key);
    return { source, target, type, name, target_record: resolve(source, name, target, key) };
  });
}

function linkRowsOf(db: Database, ns: number, record: number): Row[] {
  return db
    .prepare(
      'SELECT source, target, type, name, target_record FROM link WHERE ns = ? AND record = ? ORDER BY position',
    )
    .all(ns, record);
}

/** Writes nothing if the links are the same. */
function replaceLinks(db: Database, ns: number, record: number, rows: readonly LinkRow[]): void {
  const before = linkRowsOf(db, ns, record);
  if (sameRows(before, rows)) return;
  db.prepare('DELETE FROM link WHERE ns = ? AND record = ?').run(ns, record);
  const insert = db.prepare(
    'INSERT INTO link (ns, record, position, source, target, type, name, target_record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  for (const [i, { source, target, type, name, target_record }] of rows.entries())
    insert.run(ns, record, i + 1, source, target, type, name, target_record);
}

function sameRows(a: readonly Row[], b: readonly LinkRow[]): boolean {
  if (a.length !== b.length) return false;
  return b.every((row, i) => Object.entries(row).every(([column, value]) => a[i]![column] === value));
}

/**
 * Resolves the links with this name in all records, after a key with the name was added or removed.
 * @param resolved gets the records whose links changed their target
 */
function resolveLinksByName(
  db: Database,
  ns: number,
  source: string,
  name: string,
  resolve: Resolve,
  resolved: Set<number>,
): void {
  const update = db.prepare('UPDATE link SET target_record = ? WHERE ns = ? AND record = ? AND position = ?');
  const rows = db
    .prepare(
      `SELECT l.record, l.position, l.target, l.target_record, r.key FROM link AS l INDEXED BY link_name
       CROSS JOIN record AS r ON r.ns = l.ns AND r.id = l.record
       WHERE l.ns = ? AND l.source = ? AND l.name = ?`,
    )
    .all(ns, source, name);
  for (const row of rows) {
    const record = resolve(source, name, row['target'] as string, row['key'] as string);
    if (record === row['target_record']) continue;
    update.run(record, ns, row['record']!, row['position']!);
    resolved.add(row['record'] as number);
  }
}

/** Compares the stored links with those that a scan of all records finds. Returns messages for at most `limit` differences. */
export function verifyLinks(db: Database, ns: number, limit: number): string[] {
  const findings: string[] = [];
  const resolve = scanningResolver(db, ns);
  for (const [id, record] of linkingRecords(db, ns)) {
    if (findings.length >= limit) return findings;
    if (!sameKey(keyRow(db, ns, id), record) || !sameRows(linkRowsOf(db, ns, id), linkRows(record, resolve)))
      findings.push(`the links of record ${String(id)} differ from those of its document`);
  }
  const orphans = db
    .prepare(
      `SELECT DISTINCT l.record FROM (SELECT ns, record FROM link UNION SELECT ns, record FROM link_key) AS l
       LEFT JOIN record AS r ON r.ns = l.ns AND r.id = l.record
       WHERE l.ns = ? AND (r.key IS NULL OR r.deleted_at IS NOT NULL) LIMIT ?`,
    )
    .all(ns, limit - findings.length);
  return [
    ...findings,
    ...orphans.map((row) => `record ${String(row['record'])} has links, though it is deleted or has no key`),
  ];
}
