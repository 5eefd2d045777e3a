import { sha256 } from '../../../core/ids.ts';
import type { AsyncSlices } from '../../../core/threads/slices.ts';
import type {
  ConceptName,
  NameSelector,
  Naming,
  NamingRequest,
  NamingsOfKey,
  RecordConcepts,
  StoredName,
} from '../../concept-model.ts';
import type { GraphProvenance } from '../../graph-model.ts';
import type { Scope } from '../driver.ts';
import type { Dialect, Parameters, Row } from '../sql.ts';

const CLAIM = `c.kind IN ('title', 'alias')`;
/** Titles and aliases of a record, and tags, phrases and words as often as records spell them so. */
const CLAIM_COLUMNS = `c.record, c.key, c.kind, c.text, 1 AS count,
  (SELECT note FROM concept_record AS r WHERE r.ns = :ns AND r.record = c.record) AS note`;
const SHARED_COLUMNS = 'min(c.record) AS record, c.key, c.kind, c.text, count(*) AS count, NULL AS note';
const OF_PROJECT = 'c.ns = :ns AND c.project = :project';

/** Rows that one slice of a call looks at. */
const ROWS_OF_SLICE = 1000;
/** Keys that one slice of a call counts. */
const KEYS_OF_SLICE = 100;

/** The parameters of `isVisible`. */
function hidden(excludedSources: readonly string[]): Parameters {
  return excludedSources.length === 0 ? {} : { excluded: excludedSources };
}

function isVisible({ isIn }: Dialect, excludedSources: readonly string[]): string {
  if (excludedSources.length === 0) return 'TRUE';
  return `NOT EXISTS (SELECT 1 FROM record AS x WHERE x.ns = :ns AND x.id = c.record AND ${isIn('x.source', 'excluded')})`;
}

function nameIn(project: string, row: Row): StoredName {
  return { ...row, project } as unknown as StoredName;
}

async function someNames(
  { sql, ns }: Scope,
  project: string,
  only: Exclude<NameSelector['only'], string | undefined>,
  excludedSources: readonly string[],
): Promise<StoredName[]> {
  const statement = 'firstWords' in only ? namesByFirstWord : namesOfKeys;
  const parameters = { ns, project, ...only, ...hidden(excludedSources) };
  return (await sql.all(statement(sql.dialect, excludedSources), parameters)).map((row) =>
    nameIn(project, row),
  );
}

export async function* conceptNames(scope: Scope, selector: NameSelector): AsyncSlices<StoredName[]> {
  const { project, only, excludedSources = [] } = selector;
  if (typeof only === 'object') return someNames(scope, project, only, excludedSources);
  const { sql, ns } = scope;
  const statement = (only === 'claims' ? claimsOfSlice : namesOfSlice)(sql.dialect, excludedSources);
  const rows: StoredName[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const next: Row | undefined = await sql.get(
      `SELECT c.key FROM concept_name AS c ${sql.dialect.index('concept_name_key')}
       WHERE ${OF_PROJECT} AND c.key > :after ORDER BY c.key LIMIT 1 OFFSET ${String(ROWS_OF_SLICE)}`,
      { ns, project, after },
    );
    const last = next?.['key'] as string | undefined;
    const slice = { ns, project, after, last: last ?? AFTER_ALL_KEYS, ...hidden(excludedSources) };
    for (const row of await sql.all(statement, slice)) rows.push(nameIn(project, row));
    after = last;
    yield;
  }
  return rows;
}

/** A key belongs to one slice as a whole. No key is empty. */
const IN_SLICE = 'c.key > :after AND c.key <= :last';
/** Follows all keys: no text has this character. */
const AFTER_ALL_KEYS = '\u{10FFFF}';

function fromSlice(dialect: Dialect, excludedSources: readonly string[]): string {
  return `FROM concept_name AS c ${dialect.index('concept_name_key')}
    WHERE ${OF_PROJECT} AND ${IN_SLICE} AND ${isVisible(dialect, excludedSources)}`;
}

function claimsOfSlice(dialect: Dialect, excludedSources: readonly string[]): string {
  return `SELECT ${CLAIM_COLUMNS} ${fromSlice(dialect, excludedSources)} AND ${CLAIM} ORDER BY 1, 2, 3, 4`;
}

function namesOfSlice(dialect: Dialect, excludedSources: readonly string[]): string {
  const from = fromSlice(dialect, excludedSources);
  const number = (condition: string): string => `sum(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
  const likely = number(`c.kind = 'phrase' OR (c.kind = 'opening' AND c.key LIKE '% %')`);
  return `SELECT ${CLAIM_COLUMNS} ${from} AND ${CLAIM}
    UNION ALL SELECT ${SHARED_COLUMNS} ${from} AND NOT ${CLAIM} AND c.key IN (
      SELECT c.key ${from} AND NOT ${CLAIM} GROUP BY c.key HAVING ${number("c.kind <> 'word'")} > 1
        AND (${number("c.kind = 'tag'")} > 0 OR ${likely} > ${number("c.kind = 'word'")}))
    GROUP BY c.key, c.kind, c.text ORDER BY 1, 2, 3, 4`;
}

function namesOfKeys(dialect: Dialect, excludedSources: readonly string[]): string {
  const { list, join, index } = dialect;
  const visible = isVisible(dialect, excludedSources);
  const byKey = `${join} concept_name AS c ${index('concept_name_key')} ON ${OF_PROJECT} AND c.key = w.value`;
  return `WITH notes AS (
      SELECT DISTINCT c.record FROM ${list('keys', 'text')} AS w ${byKey} WHERE ${CLAIM})
    SELECT ${CLAIM_COLUMNS} FROM notes ${join} concept_name AS c ON c.ns = :ns AND c.record = notes.record
      WHERE ${CLAIM} AND ${visible}
    UNION ALL SELECT ${SHARED_COLUMNS} FROM (SELECT DISTINCT value FROM ${list('keys', 'text')} AS k) AS w ${byKey}
      WHERE NOT ${CLAIM} AND ${visible} GROUP BY c.key, c.kind, c.text
    ORDER BY 1, 2, 3, 4`;
}

/** The words of a key are separated by spaces, and '!' is the character after the space. */
function namesByFirstWord(dialect: Dialect, excludedSources: readonly string[]): string {
  const { list, join, index } = dialect;
  // One row for each key: thousands of notes may have the same alias.
  return `SELECT min(c.record) AS record, c.key, min(c.kind) AS kind, min(c.text) AS text, 1 AS count, NULL AS note
    FROM ${list('firstWords', 'text')} AS w ${join} concept_name AS c ${index('concept_name_key')}
      ON ${OF_PROJECT} AND c.key >= w.value AND c.key < w.value || '!'
    WHERE ${CLAIM} AND (c.key = w.value OR substr(c.key, length(w.value) + 1, 1) = ' ')
      AND ${isVisible(dialect, excludedSources)} GROUP BY w.key, c.key ORDER BY w.key, c.key`;
}

export async function recordConcepts(
  { sql, ns }: Scope,
  records: readonly number[],
): Promise<Map<number, RecordConcepts>> {
  const { list, join } = sql.dialect;
  const from = `${list('records', 'integer')} AS w ${join} concept_record AS r ON r.ns = :ns AND r.record = w.value`;
  const rows = await sql.all(
    `SELECT r.record, r.project, r.note, c.key, c.text, c.kind, c.line, NULL AS count FROM ${from}
       LEFT JOIN concept_name AS c ON c.ns = :ns AND c.record = w.value
     UNION ALL SELECT r.record, r.project, r.note, c.key, NULL, 'mention', c.line, c.count FROM ${from}
       ${join} concept_mention AS c ON c.ns = :ns AND c.record = w.value
     ORDER BY 4`,
    { ns, records },
  );
  const byRecord = Map.groupBy(rows, ({ record }) => record as number);
  return new Map(
    records.flatMap((record) => {
      const own = byRecord.get(record);
      if (own === undefined) return [];
      const [{ project, note }] = own as [Row, ...Row[]];
      const isMention = ({ kind }: Row): boolean => kind === 'mention';
      const concepts: RecordConcepts = {
        project: project as string,
        note: note as string | null,
        names: own.filter((row) => row['key'] !== null && !isMention(row)).map(nameOf),
        mentions: own.filter(isMention).map((row) => ({
          key: row['key'] as string,
          line: row['line'] as number,
          count: row['count'] as number,
        })),
      };
      return [[record, concepts] as const];
    }),
  );
}

function nameOf({ key, text, kind, line }: Row): ConceptName {
  return { key, text, kind, line } as ConceptName;
}

export async function* namings(
  { sql, ns }: Scope,
  request: NamingRequest,
): AsyncSlices<Map<string, NamingsOfKey>> {
  const { project, limit = 0, max = Number.MAX_SAFE_INTEGER, excludedSources = [] } = request;
  const found = new Map<string, NamingsOfKey>();
  const shown = new Set(request.keys);
  const keys = [...new Set([...request.keys, ...(request.counted ?? [])])];
  const statement = namingsStatement(sql.dialect, excludedSources);
  for (let i = 0; i < keys.length; i += KEYS_OF_SLICE) {
    if (i > 0) yield;
    const some = keys
      .slice(i, i + KEYS_OF_SLICE)
      .map((key, position) => ({ position, value: key, shown: Number(shown.has(key)) }));
    const rows = await sql.all(statement, {
      ns,
      project,
      keys: some,
      limit,
      max,
      ...hidden(excludedSources),
    });
    for (const [key, own] of Map.groupBy(rows, ({ wanted }) => wanted as string))
      found.set(key, {
        records: own[0]!['records'] as number,
        places: own.filter(({ record }) => record !== null).map(namingOf),
      });
  }
  return found;
}

function namingOf({ wanted: key, record, text, kind, line, count }: Row): Naming {
  return { key, record, text, kind, line, count } as Naming;
}

/** Each key with its places: a row for each of the first ones, or one without a place. */
function namingsStatement(dialect: Dialect, excludedSources: readonly string[]): string {
  const { rows, join, index } = dialect;
  const keys = rows('keys', { position: 'integer', value: 'text', shown: 'integer' });
  const visible = isVisible(dialect, excludedSources);
  const from = (table: 'concept_mention' | 'concept_name', key: string): string =>
    `FROM ${table} AS c ${index(`${table}_key`)} WHERE ${OF_PROJECT} AND c.key = ${key} AND ${visible}
       ${table === 'concept_name' ? `AND c.kind IN ('tag', 'phrase', 'opening')` : ''}`;
  // Each half alone may have as many as are counted or shown.
  const half = (table: 'concept_mention' | 'concept_name', limit: string): string =>
    `SELECT record FROM (SELECT c.record ${from(table, 'w.value')} ${limit}) AS ${table}`;
  const places = (table: 'concept_mention' | 'concept_name', columns: string): string =>
    `SELECT w.value AS wanted, c.record, ${columns} FROM ${keys} AS w ${join} ${table} AS c
       ON c.ns = :ns AND c.key = w.value AND c.record IN (${half(table, 'ORDER BY c.record LIMIT :limit')})
     WHERE w.shown = 1 AND c.project = :project ${table === 'concept_name' ? `AND c.kind IN ('tag', 'phrase', 'opening')` : ''}`;
  return `WITH place AS MATERIALIZED (
      SELECT p.*, row_number() OVER (PARTITION BY p.wanted ORDER BY p.record, p.kind <> 'mention') AS place FROM (
        ${places('concept_mention', `NULL AS text, 'mention' AS kind, c.line, c.count`)}
        UNION ALL ${places('concept_name', 'c.text, c.kind, c.line, 1')}) AS p)
    SELECT w.value AS wanted, p.record, p.text, p.kind, p.line, p.count, (SELECT count(*) FROM (
        SELECT 1 FROM (${half('concept_mention', 'LIMIT :max')} UNION ${half('concept_name', 'LIMIT :max')}) AS c
        LIMIT :max) AS counted) AS records
    FROM ${keys} AS w LEFT JOIN place AS p ON p.wanted = w.value AND p.place <= :limit
    ORDER BY w.position, p.place`;
}

export async function linePlaces(
  { sql, ns }: Scope,
  lines: readonly { readonly record: number; readonly line: number | null }[],
): Promise<GraphProvenance[]> {
  if (lines.length === 0) return [];
  // The content of a record is read once, with the first of its lines.
  const known = new Set<number>();
  const wanted = lines.map(({ record, line }, position) => {
    const isFirst = line !== null && !known.has(record);
    if (isFirst) known.add(record);
    return { position, record, line, first: Number(isFirst) };
  });
  const columns = { position: 'integer', record: 'integer', line: 'integer', first: 'integer' } as const;
  const rows = await sql.all(
    `SELECT w.record, w.line, r.content_hash AS hash, CASE WHEN w.first = 1 THEN r.content END AS content,
       (SELECT max(p.ordinal) FROM passage AS p
        WHERE p.ns = :ns AND p.record = w.record AND p.start_line <= w.line AND p.end_line >= w.line) AS ordinal
     FROM ${sql.dialect.rows('lines', columns)} AS w
     ${sql.dialect.join} record AS r ON r.ns = :ns AND r.id = w.record ORDER BY w.position`,
    { ns, lines: wanted },
  );
  const texts = new Map<number, readonly string[]>();
  return rows.map((row): GraphProvenance => {
    const [record, line] = [row['record'] as number, row['line'] as number | null];
    if (row['content'] !== null) texts.set(record, (row['content'] as string).split('\n'));
    if (line === null) return { record, passage: null, lines: null, hash: row['hash'] as string };
    const text = (texts.get(record)![line - 1] ?? '').replace(/\r$/, '');
    const passage = row['ordinal'] as number | null;
    return { record, passage, lines: { first: line, last: line }, hash: sha256(text) };
  });
}
