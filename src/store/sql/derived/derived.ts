import { isSourced } from '../../rules/filter.ts';
import { isDeepStrictEqual } from 'node:util';
import { LinkIndex, linkNameOfKey, linkNameOfTarget, linksIn, pageNamesIn } from '../../rules/link-index.ts';
import { mentionNames, noteNames } from '../../rules/mention-names.ts';
import { recordTime } from '../../rules/record-time.ts';
import type { RecordHeader } from '../../search-model.ts';
import { HEADER_COLUMNS, headerOf, storedObject, unlessDamaged } from '../rows.ts';
import type { Row, Sql } from '../sql.ts';

/**
 * The names of a record: `link` for the last part of its key, and the names of a page of Logseq, which links are resolved with; `note` for lookups by the name of a
 * note; `mention` for texts that mention it. A record that is deleted has none.
 */
function nameRows(ns: number, record: RecordHeader): Row[] {
  if (record.deletedAt !== null) return [];
  const names = {
    link: linkTarget(record)?.names ?? [],
    note: noteNames(record),
    mention: mentionNames(record),
  };
  return Object.entries(names).flatMap(([kind, ofKind]) =>
    ofKind.map((name) => ({ ns, kind, name, record: record.id })),
  );
}

/** @param stored the names that the records have. Within a transaction, after the records were written. */
export async function deriveNames(
  sql: Sql,
  ns: number,
  records: ReadonlyMap<number, RecordHeader | null>,
  stored: readonly Row[],
): Promise<void> {
  const expected = new Map(
    [...records.values()].flatMap((record) => (record === null ? [] : nameRows(ns, record))).map(withId),
  );
  const outdated: Row[] = [];
  for (const [id, row] of stored.map(withId)) if (!expected.delete(id)) outdated.push(row);
  await sql.remove('name', outdated);
  await sql.write('name', [...expected.values()]);
}

function storedNames(sql: Sql, ns: number, records: readonly number[]): Promise<Row[]> {
  const { dialect } = sql;
  return sql.all(
    `SELECT n.ns, n.kind, n.name, n.record FROM ${dialect.list('records', 'integer')} AS w
     ${dialect.join} name AS n ${dialect.index('name_record')} ON n.ns = :ns AND n.record = w.value`,
    { ns, records },
  );
}

function withId(row: Row): [id: string, row: Row] {
  return [JSON.stringify([row['kind'], row['name'], row['record']]), row];
}

/** What links of a source are resolved with: the keys that end with a name. */
interface LinkName {
  readonly source: string;
  readonly name: string;
}

/** Returns the record that a link with this name refers to. */
export type Resolve = (source: string, name: string, target: string, fromKey: string) => number | null;

/** The links of a record in the order of its text. One that is deleted or has no key has none. */
function linkRows(ns: number, record: RecordHeader, resolve: Resolve): Row[] {
  return linksOf(record).map(({ target, type, name }, i) => {
    const { id, source, key } = record;
    const target_record = resolve(source, name, target, key!);
    return { ns, record: id, position: i + 1, source, target, type, name, target_record };
  });
}

function linksOf({
  key,
  metadata,
  deletedAt,
}: RecordHeader): { target: string; type: string; name: string }[] {
  if (key === null || deletedAt !== null) return [];
  return linksIn(metadata).map(({ target, type, page }) => ({
    target,
    type,
    name: page ?? linkNameOfTarget(target, key),
  }));
}

/** A change of a record. */
interface ChangedRecord {
  readonly before: RecordHeader | null;
  readonly after: RecordHeader | null;
}

/**
 * Updates the links of these records, and the links of others whose target changes because a key was added, changed or removed.
 * Within a transaction, after the records and their names were written. Returns the others whose links changed their target.
 */
export async function deriveLinks(
  sql: Sql,
  ns: number,
  changed: ReadonlyMap<number, ChangedRecord>,
): Promise<Set<number>> {
  const linking = [...changed.values()].flatMap(({ after }) => (after === null ? [] : [after]));
  const changedKeys = distinct([...changed.values()].flatMap(changedLinkNames));
  const ofLinks = linking.flatMap((record) =>
    linksOf(record).map(({ name }) => ({ source: record.source, name })),
  );
  const resolve = await resolver(sql, ns, distinct([...changedKeys, ...ofLinks]));
  await replaceLinks(
    sql,
    ns,
    changed,
    linking.flatMap((record) => linkRows(ns, record, resolve)),
  );
  return resolveByName(sql, ns, changedKeys, resolve);
}

function changedLinkNames({ before, after }: ChangedRecord): LinkName[] {
  const [was, is] = [linkTarget(before), linkTarget(after)];
  if (isDeepStrictEqual(was, is)) return [];
  return [was, is].flatMap((target) =>
    (target?.names ?? []).map((name) => ({ source: target!.source, name })),
  );
}

/** What links can refer to. */
interface LinkTarget {
  readonly source: string;
  readonly key: string;
  /** The name of its file, and those of a page of Logseq. */
  readonly names: readonly string[];
}

function linkTarget(record: RecordHeader | null): LinkTarget | null {
  if (record === null || record.key === null || record.deletedAt !== null || !isSourced(record)) return null;
  const { source, key, metadata } = record;
  return { source, key, names: [...new Set([linkNameOfKey(key), ...pageNamesIn(metadata)])] };
}

function distinct(names: readonly LinkName[]): LinkName[] {
  return [...new Map(names.map((each) => [JSON.stringify([each.source, each.name]), each])).values()];
}

/** A document with a name that links are resolved with: that of its file, or that of a page of Logseq. */
interface NamedDocument {
  readonly name: string;
  readonly key: string;
  readonly id: number;
}

/** Documents by key and by the names of pages, with an index that finds the key that a link refers to. */
class LinkTargets {
  readonly #records: ReadonlyMap<string, number>;
  readonly #pages = new Map<string, NamedDocument>();
  readonly #index: LinkIndex;

  constructor(documents: readonly NamedDocument[]) {
    this.#records = new Map(documents.map(({ key, id }) => [key, id]));
    this.#index = new LinkIndex([...this.#records.keys()]);
    for (const document of documents) {
      const first = this.#pages.get(document.name);
      const isOther = document.name !== linkNameOfKey(document.key);
      if (isOther && (first === undefined || isBefore(document, first)))
        this.#pages.set(document.name, document);
    }
  }

  /** A page that has the name of its file is found by its file, before those that have it as another name. */
  resolve(name: string, target: string, fromKey: string): number | null {
    const isOfFile = name === linkNameOfTarget(target, fromKey);
    const key = isOfFile ? this.#index.resolve(target, fromKey) : null;
    if (key !== null) return this.#records.get(key) ?? null;
    return isOfFile && /\.(?:md|markdown)$/i.test(target) ? null : (this.#pages.get(name)?.id ?? null);
  }
}

/** A page whose file has the name with `___` or `%2F` for `/` comes before pages that have it as an alias. */
function isBefore(a: NamedDocument, b: NamedDocument): boolean {
  const [first, second] = [a, b].map(({ key, name }) =>
    Number(linkNameOfKey(key).replaceAll(/___|%2f/g, '/') === name),
  );
  return first === second ? a.key < b.key : first! > second!;
}

/** Resolves links of these names, reading only the keys that end with one of them. */
async function resolver(sql: Sql, ns: number, names: readonly LinkName[]): Promise<Resolve> {
  if (names.length === 0) return () => null;
  const { dialect } = sql;
  const rows = await sql.all(
    `SELECT w.source, w.name, r.key, r.id FROM ${dialect.rows('names', { source: 'text', name: 'text' })} AS w
     ${dialect.join} name AS n ON n.ns = :ns AND n.kind = 'link' AND n.name = w.name
     ${dialect.join} record AS r ON r.ns = n.ns AND r.id = n.record AND r.source = w.source
     ORDER BY r.key`,
    { ns, names: names.map(({ source, name }) => ({ source, name })) },
  );
  const byName = Map.groupBy(rows, (row) => `${String(row['source'])}\0${String(row['name'])}`);
  const targets = new Map([...byName].map(([name, ofName]) => [name, targetsOf(ofName)]));
  return (source, name, target, fromKey) =>
    targets.get(`${source}\0${name}`)?.resolve(name, target, fromKey) ?? null;
}

function targetsOf(rows: readonly Row[]): LinkTargets {
  return new LinkTargets(
    rows.map((row) => ({ name: String(row['name']), key: String(row['key']), id: Number(row['id']) })),
  );
}

/** Resolves links with all keys of each source, which it reads from the records. */
async function scanningResolver(sql: Sql, ns: number): Promise<Resolve> {
  const rows = await sql.all(
    `SELECT source, key, id, CASE WHEN metadata LIKE '%"pageNames"%' THEN metadata END AS page FROM record
     WHERE ns = :ns AND key IS NOT NULL AND deleted_at IS NULL AND origin IN ('vault', 'source')`,
    { ns },
  );
  const named = rows.flatMap((row): Row[] => {
    const what = (): string => `the metadata of record/${String(row['id'])}`;
    const metadata = row['page'] === null ? null : unlessDamaged(() => storedObject(row['page'], what));
    const pages = pageNamesIn(metadata ?? {});
    return [linkNameOfKey(String(row['key'])), ...pages].map((name) => ({ ...row, name }));
  });
  const bySource = Map.groupBy(named, (row) => String(row['source']));
  const targets = new Map([...bySource].map(([source, ofSource]) => [source, targetsOf(ofSource)]));
  return (source, name, target, fromKey) => targets.get(source)?.resolve(name, target, fromKey) ?? null;
}

/** Writes nothing for a record whose links are the same. */
async function replaceLinks(
  sql: Sql,
  ns: number,
  changed: ReadonlyMap<number, ChangedRecord>,
  rows: readonly Row[],
): Promise<void> {
  const known = [...changed].flatMap(([id, { before }]) =>
    before === null || linksOf({ ...before, deletedAt: null }).length === 0 ? [] : [id],
  );
  const stored = Map.groupBy(await storedLinks(sql, ns, known), (row) => Number(row['record']));
  const expected = Map.groupBy(rows, (row) => Number(row['record']));
  const differing = [...changed.keys()].filter((id) => !sameRows(stored.get(id), expected.get(id)));
  await sql.remove(
    'link',
    differing.filter((id) => stored.has(id)).map((record) => ({ ns, record })),
  );
  await sql.write(
    'link',
    differing.flatMap((id) => expected.get(id) ?? []),
  );
}

async function storedLinks(sql: Sql, ns: number, records: readonly number[]): Promise<Row[]> {
  if (records.length === 0) return [];
  const { dialect } = sql;
  return sql.all(
    `SELECT l.ns, l.record, l.position, l.source, l.target, l.type, l.name, l.target_record
     FROM ${dialect.list('records', 'integer')} AS w ${dialect.join} link AS l ON l.ns = :ns AND l.record = w.value
     ORDER BY l.record, l.position`,
    { ns, records },
  );
}

function sameRows(a: readonly Row[] = [], b: readonly Row[] = []): boolean {
  if (a.length !== b.length) return false;
  return b.every((row, i) => Object.entries(row).every(([column, value]) => a[i]![column] === value));
}

/** Resolves the links with these names in all records. Returns the records whose links changed their target. */
async function resolveByName(
  sql: Sql,
  ns: number,
  names: readonly LinkName[],
  resolve: Resolve,
): Promise<Set<number>> {
  if (names.length === 0) return new Set();
  const { dialect } = sql;
  const rows = await sql.all(
    `SELECT l.record, l.position, l.source, l.name, l.target, l.target_record, r.key
     FROM ${dialect.rows('names', { source: 'text', name: 'text' })} AS w
     ${dialect.join} link AS l ${dialect.index('link_name')} ON l.ns = :ns AND l.source = w.source AND l.name = w.name
     ${dialect.join} record AS r ON r.ns = l.ns AND r.id = l.record`,
    { ns, names: names.map(({ source, name }) => ({ source, name })) },
  );
  const updates = rows.flatMap((row): Row[] => {
    const [source, name, target, key] = ['source', 'name', 'target', 'key'].map((column) =>
      String(row[column]),
    );
    const target_record = resolve(source!, name!, target!, key!);
    if (target_record === row['target_record']) return [];
    return [{ ns, record: row['record']!, position: row['position']!, target_record }];
  });
  await sql.update('link', updates);
  return new Set(updates.map((row) => Number(row['record'])));
}

/** Records that are read at once. */
const PAGE_SIZE = 1000;

/** A record in any state, with its time in the timeline as it is stored. */
interface TimedHeader {
  readonly record: RecordHeader;
  readonly timelineAt: number;
}

/** Derives the names, the links and the times of a namespace again. Within a transaction. */
export async function rebuildDerived(sql: Sql, ns: number): Promise<void> {
  await sql.remove('name', [{ ns }]);
  await sql.remove('link', [{ ns }]);
  const resolve = await scanningResolver(sql, ns);
  for await (const page of pagesOfRecords(sql, ns)) {
    const records = page.map(({ record }) => record);
    await sql.write(
      'name',
      records.flatMap((record) => nameRows(ns, record)),
    );
    await sql.write(
      'link',
      records.flatMap((record) => linkRows(ns, record, resolve)),
    );
    const times = page.flatMap(({ record, timelineAt }): Row[] => {
      const timeline_at = recordTime(record);
      return timeline_at === timelineAt ? [] : [{ ns, id: record.id, timeline_at }];
    });
    await sql.update('record', times);
  }
}

/** Compares the stored names, links and times with those of the records. Returns messages for at most `limit` differences. */
export async function verifyDerived(sql: Sql, ns: number, limit: number): Promise<string[]> {
  const findings: string[] = [];
  const resolve = await scanningResolver(sql, ns);
  for await (const page of pagesOfRecords(sql, ns)) {
    const ids = page.map(({ record }) => record.id);
    const names = Map.groupBy(await storedNames(sql, ns, ids), (row) => Number(row['record']));
    const links = Map.groupBy(await storedLinks(sql, ns, ids), (row) => Number(row['record']));
    for (const { record, timelineAt } of page) {
      const name = String(record.id);
      if (!sameRows(links.get(record.id), linkRows(ns, record, resolve)))
        findings.push(`the links of record ${name} differ from those of its document`);
      if (!sameNames(names.get(record.id), nameRows(ns, record)))
        findings.push(`the names of record ${name} differ from its own`);
      if (timelineAt !== recordTime(record))
        findings.push(`the time of record ${name} in the timeline differs from that of the record`);
    }
    if (findings.length >= limit) return findings.slice(0, limit);
  }
  const orphans = await sql.all(
    `SELECT DISTINCT d.record FROM (
       SELECT record FROM link WHERE ns = :ns UNION SELECT record FROM name WHERE ns = :ns) AS d
     LEFT JOIN record AS r ON r.ns = :ns AND r.id = d.record WHERE r.id IS NULL ORDER BY d.record LIMIT :limit`,
    { ns, limit: limit - findings.length },
  );
  return [
    ...findings,
    ...orphans.map((row) => `record ${String(row['record'])} has names or links, but is gone`),
  ];
}

function sameNames(a: readonly Row[] = [], b: readonly Row[] = []): boolean {
  const [inA, inB] = [a, b].map(
    (rows) => new Set(rows.map((row) => `${String(row['kind'])} ${String(row['name'])}`)),
  );
  return a.length === b.length && [...inA!].every((name) => inB!.has(name));
}

async function* pagesOfRecords(sql: Sql, ns: number): AsyncGenerator<TimedHeader[]> {
  for (let after = 0; ;) {
    const rows = await sql.all(
      `SELECT ${HEADER_COLUMNS}, r.timeline_at FROM record AS r WHERE r.ns = :ns AND r.id > :after ORDER BY r.id LIMIT :limit`,
      { ns, after, limit: PAGE_SIZE },
    );
    if (rows.length === 0) return;
    yield rows.map((row) => ({
      record: headerOf('', row, 'is empty'),
      timelineAt: Number(row['timeline_at']),
    }));
    after = Number(rows.at(-1)!['id']);
  }
}
