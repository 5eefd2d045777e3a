import { storedJson } from '../../sql/stored-json.ts';
import { sha256 } from '../../../core/ids.ts';
import type { AsyncSlices } from '../../../core/threads/slices.ts';
import type { GraphProvenance } from '../../graph-model.ts';
import type { Page } from '../../model.ts';
import type {
  ConceptChange,
  ConceptChangeDetail,
  ConceptName,
  ConceptState,
  NameKind,
  NameSelector,
  Naming,
  ProjectName,
  RecordConcepts,
  StoredName,
} from '../../concept-model.ts';
import type { Database } from '../database/database.ts';
import type { Row } from '../../sql/rows.ts';

const CLAIM = `c.kind IN ('title', 'alias')`;
/** Titles and aliases of a record, and tags, phrases and words as often as records spell them so. */
const CLAIM_COLUMNS = `c.record, c.key, c.kind, c.text, 1 AS count,
  (SELECT note FROM concept_record AS r WHERE r.ns = c.ns AND r.record = c.record) AS note`;
const SHARED_COLUMNS = 'min(c.record) AS record, c.key, c.kind, c.text, count(*) AS count, NULL AS note';
const IS_VISIBLE = `(:excluded = '[]' OR NOT EXISTS (
  SELECT 1 FROM record AS x WHERE x.ns = :ns AND x.id = c.record AND x.source IN (SELECT value FROM json_each(:excluded))))`;

/** Rows that one slice of a call looks at. */
const ROWS_OF_SLICE = 1000;
/** Keys that one slice of a call counts. */
const KEYS_OF_SLICE = 100;

export async function* conceptNames(
  db: Database,
  ns: number,
  { project, only, excludedSources = [] }: NameSelector,
): AsyncSlices<StoredName[]> {
  const excluded = JSON.stringify(excludedSources);
  const nameIn = (row: Row): StoredName => ({
    key: row['key'] as string,
    text: row['text'] as string,
    kind: row['kind'] as NameKind,
    record: row['record'] as number,
    project,
    note: row['note'] as string | null,
    count: row['count'] as number,
  });
  if (only !== undefined) {
    const [keys, notes] = [JSON.stringify(only.keys), JSON.stringify(only.notes)];
    return db.prepare(SOME_NAMES).all({ ns, project, excluded, keys, notes }).map(nameIn);
  }
  const lastOfSlice = db.prepare(
    `SELECT key FROM concept_name WHERE ns = ? AND project = ? AND key > ? ORDER BY key LIMIT 1 OFFSET ${String(ROWS_OF_SLICE)}`,
  );
  const rows: StoredName[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const last = lastOfSlice.get(ns, project, after)?.['key'] as string | undefined;
    const names = db.prepare(ALL_NAMES).all({ ns, project, excluded, after, last: last ?? AFTER_ALL_KEYS });
    for (const row of names) rows.push(nameIn(row));
    after = last;
    yield;
  }
  return rows;
}

/** A key belongs to one slice as a whole. No key is empty. */
const IN_SLICE = 'key > :after AND key <= :last';
/** Follows all keys: no text has this character. */
const AFTER_ALL_KEYS = '\u{10FFFF}';
const ALL_NAMES = `
  SELECT ${CLAIM_COLUMNS} FROM concept_name AS c INDEXED BY concept_name_key
    WHERE c.ns = :ns AND c.project = :project AND c.${IN_SLICE} AND ${CLAIM} AND ${IS_VISIBLE}
  UNION ALL
  SELECT ${SHARED_COLUMNS} FROM concept_name AS c INDEXED BY concept_name_key
    WHERE c.ns = :ns AND c.project = :project AND c.${IN_SLICE} AND NOT ${CLAIM} AND ${IS_VISIBLE} AND c.key IN (
      SELECT key FROM concept_name AS c INDEXED BY concept_name_key
        WHERE ns = :ns AND project = :project AND ${IN_SLICE} AND NOT ${CLAIM} AND ${IS_VISIBLE}
      GROUP BY key HAVING total(kind <> 'word') > 1 AND (
        total(kind = 'tag') > 0 OR total(kind = 'phrase' OR (kind = 'opening' AND key GLOB '* *')) > total(kind = 'word')))
    GROUP BY c.key, c.kind, c.text
  ORDER BY 1, 2, 3, 4`;

const SOME_NAMES = `
  WITH notes AS (
    SELECT c.record FROM json_each(:keys) AS k CROSS JOIN concept_name AS c INDEXED BY concept_name_key
      ON c.ns = :ns AND c.project = :project AND c.key = k.value WHERE ${CLAIM}
    UNION SELECT r.record FROM json_each(:notes) AS n CROSS JOIN concept_record AS r INDEXED BY concept_record_note
      ON r.ns = :ns AND r.project = :project AND r.note = n.value)
  SELECT ${CLAIM_COLUMNS} FROM notes CROSS JOIN concept_name AS c ON c.ns = :ns AND c.record = notes.record
    WHERE ${CLAIM} AND ${IS_VISIBLE}
  UNION ALL
  SELECT ${SHARED_COLUMNS} FROM (SELECT DISTINCT value FROM json_each(:keys)) AS k
    CROSS JOIN concept_name AS c INDEXED BY concept_name_key ON c.ns = :ns AND c.project = :project AND c.key = k.value
    WHERE NOT ${CLAIM} AND ${IS_VISIBLE} GROUP BY c.key, c.kind, c.text
  ORDER BY 1, 2, 3, 4`;

function nameOf(row: Row): ConceptName {
  return {
    key: row['key'] as string,
    text: row['text'] as string,
    kind: row['kind'] as NameKind,
    line: row['line'] as number | null,
  };
}

export function conceptKeys(
  db: Database,
  ns: number,
  project: string,
  firstWords: readonly string[],
): string[] {
  return db
    .prepare(
      // The words of a key are separated by spaces, and '!' is the character after the space.
      `SELECT DISTINCT c.key FROM json_each(:words) AS w CROSS JOIN concept_name AS c INDEXED BY concept_name_key
         ON c.ns = :ns AND c.project = :project AND c.key >= w.value AND c.key < w.value || '!'
       WHERE ${CLAIM} AND (c.key = w.value OR substr(c.key, length(w.value) + 1, 1) = ' ') ORDER BY c.key`,
    )
    .all({ ns, project, words: JSON.stringify(firstWords) })
    .map((row) => row['key'] as string);
}

export function recordConcepts(
  db: Database,
  ns: number,
  records: readonly number[],
): Map<number, RecordConcepts> {
  const own = db.prepare('SELECT project, note FROM concept_record WHERE ns = ? AND record = ?');
  const names = db.prepare(
    'SELECT key, text, kind, line FROM concept_name WHERE ns = ? AND record = ? ORDER BY key',
  );
  const mentions = db.prepare(
    'SELECT key, line, count FROM concept_mention WHERE ns = ? AND record = ? ORDER BY key',
  );
  return new Map(
    records.flatMap((record) => {
      const row = own.get(ns, record);
      if (row === undefined) return [];
      const concepts: RecordConcepts = {
        project: row['project'] as string,
        note: row['note'] as string | null,
        names: names.all(ns, record).map(nameOf),
        mentions: mentions.all(ns, record).map((each) => ({
          key: each['key'] as string,
          line: each['line'] as number,
          count: each['count'] as number,
        })),
      };
      return [[record, concepts] as const];
    }),
  );
}

const NAMING = `
  SELECT record FROM concept_mention INDEXED BY concept_mention_key
    WHERE ns = :ns AND project = :project AND key = :key
  UNION SELECT record FROM concept_name INDEXED BY concept_name_key
    WHERE ns = :ns AND project = :project AND key = :key AND kind IN ('tag', 'phrase', 'opening')`;

export async function* nameFrequencies(
  db: Database,
  ns: number,
  project: string,
  keys: readonly string[],
  excludedSources: readonly string[],
  max: number | null,
): AsyncSlices<Map<string, number>> {
  const count = db.prepare(
    `SELECT count(*) AS n FROM (SELECT 1 FROM (${NAMING}) AS c WHERE ${IS_VISIBLE} LIMIT coalesce(:max, -1))`,
  );
  const excluded = JSON.stringify(excludedSources);
  const found = new Map<string, number>();
  for (const [i, key] of keys.entries()) {
    if (i > 0 && i % KEYS_OF_SLICE === 0) yield;
    if (!found.has(key)) found.set(key, Number(count.get({ ns, project, key, excluded, max })?.['n']));
  }
  return found;
}

export function recordsNaming(
  db: Database,
  ns: number,
  project: string,
  keys: readonly string[],
  { after, limit }: Page<number>,
  excludedSources: readonly string[],
): number[] {
  const select = db.prepare(`SELECT c.record FROM (${NAMING}) AS c WHERE ${IS_VISIBLE}`);
  const excluded = JSON.stringify(excludedSources);
  const found = new Set(
    keys.flatMap((key) => select.all({ ns, project, key, excluded }).map((row) => row['record'] as number)),
  );
  return [...found]
    .filter((record) => after === null || record > after)
    .sort((a, b) => a - b)
    .slice(0, limit);
}

export function namings(
  db: Database,
  ns: number,
  project: string,
  keys: readonly string[],
  limit: number,
  excludedSources: readonly string[],
): Naming[] {
  const select = db.prepare(
    `SELECT c.* FROM (
       SELECT record, NULL AS text, 'mention' AS kind, line, count FROM concept_mention INDEXED BY concept_mention_key
         WHERE ns = :ns AND project = :project AND key = :key
       UNION ALL SELECT record, text, kind, line, 1 FROM concept_name INDEXED BY concept_name_key
         WHERE ns = :ns AND project = :project AND key = :key AND kind IN ('tag', 'phrase', 'opening')) AS c
     WHERE ${IS_VISIBLE} ORDER BY c.record, c.kind <> 'mention' LIMIT :limit`,
  );
  const excluded = JSON.stringify(excludedSources);
  return [...new Set(keys)].flatMap((key) =>
    select.all({ ns, project, key, excluded, limit }).map((row) => ({
      key,
      record: row['record'] as number,
      text: row['text'] as string | null,
      kind: row['kind'] as Naming['kind'],
      line: row['line'] as number | null,
      count: row['count'] as number,
    })),
  );
}

export function linePlaces(
  db: Database,
  ns: number,
  lines: readonly { readonly record: number; readonly line: number | null }[],
): GraphProvenance[] {
  const contents = db.prepare('SELECT content, content_hash AS hash FROM record WHERE ns = ? AND id = ?');
  const passages = db.prepare(
    'SELECT max(ordinal) AS ordinal FROM passage WHERE ns = ? AND record = ? AND start_line <= ? AND end_line >= ?',
  );
  const found = new Map<number, { readonly hash: string; readonly texts: readonly string[] } | null>();
  return lines.flatMap(({ record, line }): GraphProvenance[] => {
    if (!found.has(record)) {
      const row = contents.get(ns, record);
      const { content, hash } = (row ?? {}) as { content: string; hash: string };
      found.set(record, row === undefined ? null : { hash, texts: content.split('\n') });
    }
    const own = found.get(record) ?? null;
    if (own === null) return [];
    if (line === null) return [{ record, passage: null, lines: null, hash: own.hash }];
    const text = (own.texts[line - 1] ?? '').replace(/\r$/, '');
    const ordinal = passages.get(ns, record, line, line)?.['ordinal'] as number | null;
    return [{ record, passage: ordinal, lines: { first: line, last: line }, hash: sha256(text) }];
  });
}

export function conceptState(db: Database, ns: number): ConceptState {
  const row = db.prepare('SELECT up_to, rules FROM concept_progress WHERE ns = ?').get(ns);
  const changed = db.prepare('SELECT count(*) AS n FROM concept_changed WHERE ns = ?').get(ns);
  return {
    upTo: Number(row?.['up_to'] ?? 0),
    rules: (row?.['rules'] as string | undefined) ?? '',
    changed: Number(changed?.['n']),
  };
}

export function changedNames(db: Database, ns: number, limit: number): ProjectName[] {
  return db
    .prepare('SELECT project, key FROM concept_changed WHERE ns = ? ORDER BY project, key LIMIT ?')
    .all(ns, limit)
    .map((row) => ({ project: row['project'] as string, key: row['key'] as string }));
}

export function conceptChanges(db: Database, ns: number): ConceptChange[] {
  return db
    .prepare(
      'SELECT id, at, actor, surface, project, detail FROM concept_change WHERE ns = ? ORDER BY at, id',
    )
    .all(ns)
    .map((row) => ({
      id: row['id'] as string,
      at: row['at'] as number,
      actor: row['actor'] as string,
      surface: row['surface'] as string,
      project: row['project'] as string,
      ...(storedJson(
        row['detail'],
        () => `the change ${String(row['id'])} of a concept`,
      ) as ConceptChangeDetail),
    }));
}

/** A change with a known id is left as it is. Within a transaction. */
export function putConceptChanges(db: Database, ns: number, changes: readonly ConceptChange[]): void {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO concept_change (ns, id, at, actor, surface, project, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const { id, at, actor, surface, project, ...detail } of changes)
    insert.run(ns, id, at, actor, surface, project, JSON.stringify(detail));
}
