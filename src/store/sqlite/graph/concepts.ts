import type { ChangeKind, Page } from '../../model.ts';
import {
  type ConceptChange,
  type ConceptChangeDetail,
  type ConceptMention,
  type ConceptName,
  type ConceptState,
  type ConceptUpdate,
  MAX_MENTIONING_RECORDS,
  type NameKind,
  type NameSelector,
  type RecordConcepts,
  type RecordNames,
  type StoredName,
  type TouchedNames,
} from '../../concept-model.ts';
import type { Database } from '../database/database.ts';
import type { Row } from '../records/rows.ts';

// ── Writing ──────────────────────────────────────────────────────────────────────────────────────

/** Within a transaction. */
export function putConcepts(db: Database, ns: number, update: ConceptUpdate): void {
  const {
    names,
    mentions,
    forgotten = [],
    touched = [],
    stale = [],
    settled = [],
    applied = [],
    progress,
  } = update;
  if (names !== undefined) putNames(db, ns, names);
  if (mentions !== undefined) putMentions(db, ns, mentions);
  for (const each of touched) touch(db, ns, each);
  for (const each of forgotten) forgetMentions(db, ns, each);
  markStale(db, ns, stale);
  db.prepare('DELETE FROM concept_stale WHERE ns = ? AND record IN (SELECT value FROM json_each(?))').run(
    ns,
    JSON.stringify(settled),
  );
  db.prepare(
    'UPDATE concept_change SET applied = 1 WHERE ns = ? AND id IN (SELECT value FROM json_each(?))',
  ).run(ns, JSON.stringify(applied));
  if (progress === undefined) return;
  db.prepare('INSERT OR REPLACE INTO concept_progress (ns, up_to, rules) VALUES (?, ?, ?)').run(
    ns,
    progress.upTo,
    progress.rules,
  );
}

function putNames(db: Database, ns: number, names: ReadonlyMap<number, RecordNames | null>): void {
  const removeOwn = db.prepare('DELETE FROM concept_record WHERE ns = ? AND record = ?');
  const removeNames = db.prepare('DELETE FROM concept_name WHERE ns = ? AND record = ?');
  const removeMentions = db.prepare('DELETE FROM concept_mention WHERE ns = ? AND record = ?');
  const isLive = db.prepare('SELECT 1 FROM record WHERE ns = ? AND id = ? AND deleted_at IS NULL');
  const insertOwn = db.prepare('INSERT INTO concept_record (ns, record, project, note) VALUES (?, ?, ?, ?)');
  const insert = db.prepare(
    'INSERT INTO concept_name (ns, record, key, project, text, kind, line) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  for (const [record, own] of names) {
    removeNames.run(ns, record);
    removeOwn.run(ns, record);
    if (own === null || isLive.get(ns, record) === undefined) {
      removeMentions.run(ns, record);
      continue;
    }
    insertOwn.run(ns, record, own.project, own.note);
    for (const { key, text, kind, line } of own.names)
      insert.run(ns, record, key, own.project, text, kind, line);
  }
}

function putMentions(
  db: Database,
  ns: number,
  mentions: ReadonlyMap<number, readonly ConceptMention[]>,
): void {
  const select = db.prepare('SELECT project FROM concept_record WHERE ns = ? AND record = ?');
  const remove = db.prepare('DELETE FROM concept_mention WHERE ns = ? AND record = ?');
  const insert = db.prepare(
    'INSERT INTO concept_mention (ns, record, key, project, line, count) VALUES (?, ?, ?, ?, ?, ?)',
  );
  for (const [record, found] of mentions) {
    remove.run(ns, record);
    const own = select.get(ns, record);
    if (own === undefined) continue;
    for (const { key, line, count } of found)
      insert.run(ns, record, key, own['project'] as string, line, count);
  }
}

function forgetMentions(db: Database, ns: number, { project, keys }: TouchedNames): void {
  db.prepare(
    `DELETE FROM concept_mention WHERE ns = ? AND project = ? AND key IN (SELECT value FROM json_each(?))`,
  ).run(ns, project, JSON.stringify(keys));
}

/** Records with names that too many have keep what they have: there are no edges for such names. */
function touch(db: Database, ns: number, { project, keys }: TouchedNames): void {
  const holders = db.prepare(HOLDERS);
  const mark = db.prepare('INSERT OR IGNORE INTO concept_stale (ns, record) VALUES (?, ?)');
  for (const key of keys)
    for (const row of holders.iterate({ ns, project, key })) mark.run(ns, row['record'] as number);
}

const HOLDERS = `
  SELECT record FROM concept_name INDEXED BY concept_name_key WHERE ns = :ns AND project = :project AND key = :key
  UNION SELECT record FROM concept_mention INDEXED BY concept_mention_key
    WHERE ns = :ns AND project = :project AND key = :key`;

function markStale(db: Database, ns: number, stale: readonly number[] | 'all'): void {
  if (stale === 'all')
    db.prepare(
      'INSERT OR IGNORE INTO concept_stale (ns, record) SELECT ns, record FROM concept_record WHERE ns = ?',
    ).run(ns);
  else {
    const mark = db.prepare('INSERT OR IGNORE INTO concept_stale (ns, record) VALUES (?, ?)');
    for (const record of stale) mark.run(ns, record);
  }
}

/** Removes what belongs to records that are gone. Within their transaction. */
export function removeConcepts(db: Database, ns: number, kinds: ReadonlyMap<number, ChangeKind>): void {
  const gone = [...kinds].filter(([, kind]) => kind !== 'written').map(([record]) => record);
  for (const [record, { project, names, mentions }] of recordConcepts(db, ns, gone)) {
    putNames(db, ns, new Map([[record, null]]));
    const keys = [...new Set([...names, ...mentions].map(({ key }) => key))];
    const few = [...nameFrequencies(db, ns, project, keys)].filter(([, n]) => n <= MAX_MENTIONING_RECORDS);
    touch(db, ns, { project, keys: few.map(([key]) => key) });
  }
  const settle = db.prepare('DELETE FROM concept_stale WHERE ns = ? AND record = ?');
  for (const record of gone) settle.run(ns, record);
}

/** Discards everything derived. Changes by operators stay. Within a transaction. */
export function resetConcepts(db: Database, ns: number): void {
  for (const table of [
    'concept_record',
    'concept_name',
    'concept_mention',
    'concept_stale',
    'concept_progress',
  ])
    db.prepare(`DELETE FROM ${table} WHERE ns = ?`).run(ns);
}

/** A change with a known id is left as it is. Within a transaction. */
export function putConceptChanges(db: Database, ns: number, changes: readonly ConceptChange[]): void {
  const insert = db.prepare(
    `INSERT OR IGNORE INTO concept_change (ns, id, at, actor, surface, project, detail) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const { id, at, actor, surface, project, ...detail } of changes)
    insert.run(ns, id, at, actor, surface, project, JSON.stringify(detail));
}

// ── Reading ──────────────────────────────────────────────────────────────────────────────────────

const NAME_COLUMNS = 'c.record, c.key, c.project, c.text, c.kind, c.line, r.note';
const NAMES = `concept_name AS c CROSS JOIN concept_record AS r ON r.ns = c.ns AND r.record = c.record`;
const CLAIM = `c.kind IN ('title', 'alias')`;

export function conceptNames(db: Database, ns: number, { project, only }: NameSelector): StoredName[] {
  const rows =
    only === undefined
      ? db.prepare(ALL_NAMES).all({ ns, project })
      : db.prepare(SOME_NAMES).all({
          ns,
          project,
          keys: JSON.stringify(only.keys),
          notes: JSON.stringify(only.notes),
        });
  return rows.map((row) => ({
    ...nameOf(row),
    record: row['record'] as number,
    project: row['project'] as string,
    note: row['note'] as string | null,
  }));
}

const ALL_NAMES = `
  SELECT ${NAME_COLUMNS} FROM ${NAMES} WHERE c.ns = :ns AND c.project = :project AND (${CLAIM} OR c.key IN (
    SELECT key FROM concept_name WHERE ns = :ns AND project = :project AND kind IN ('tag', 'phrase')
    GROUP BY key HAVING count(*) > 1))
  ORDER BY c.record, c.key`;

const SOME_NAMES = `
  WITH named AS (
    SELECT c.record, c.key, c.kind FROM json_each(:keys) AS k
      CROSS JOIN concept_name AS c INDEXED BY concept_name_key
      ON c.ns = :ns AND c.project = :project AND c.key = k.value),
  notes AS (
    SELECT c.record FROM named AS c WHERE ${CLAIM}
    UNION SELECT r.record FROM json_each(:notes) AS n
      CROSS JOIN concept_record AS r INDEXED BY concept_record_note
      ON r.ns = :ns AND r.project = :project AND r.note = n.value),
  wanted AS (
    SELECT record, key FROM named
    UNION SELECT c.record, c.key FROM notes CROSS JOIN concept_name AS c
      ON c.ns = :ns AND c.record = notes.record AND ${CLAIM})
  SELECT ${NAME_COLUMNS} FROM wanted AS w
    CROSS JOIN concept_name AS c ON c.ns = :ns AND c.record = w.record AND c.key = w.key
    CROSS JOIN concept_record AS r ON r.ns = c.ns AND r.record = c.record
  ORDER BY c.record, c.key`;

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
  firstWords?: readonly string[],
): string[] {
  const rows =
    firstWords === undefined
      ? db
          .prepare(
            `SELECT DISTINCT key FROM concept_name AS c WHERE ns = :ns AND project = :project AND ${CLAIM} ORDER BY key`,
          )
          .all({ ns, project })
      : db
          .prepare(
            // The words of a key are separated by spaces, and '!' is the character after the space.
            `SELECT DISTINCT c.key FROM json_each(:words) AS w CROSS JOIN concept_name AS c INDEXED BY concept_name_key
               ON c.ns = :ns AND c.project = :project AND c.key >= w.value AND c.key < w.value || '!'
             WHERE ${CLAIM} AND (c.key = w.value OR substr(c.key, length(w.value) + 1, 1) = ' ') ORDER BY c.key`,
          )
          .all({ ns, project, words: JSON.stringify(firstWords) });
  return rows.map((row) => row['key'] as string);
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
    WHERE ns = :ns AND project = :project AND key = :key AND kind IN ('tag', 'phrase')`;

export function nameFrequencies(
  db: Database,
  ns: number,
  project: string,
  keys: readonly string[],
): Map<string, number> {
  const count = db.prepare(`SELECT count(*) AS n FROM (${NAMING})`);
  return new Map(
    [...new Set(keys)].map((key) => [key, Number(count.get({ ns, project, key })?.['n'])] as const),
  );
}

export function recordsNaming(
  db: Database,
  ns: number,
  project: string,
  keys: readonly string[],
  { after, limit }: Page<number>,
): number[] {
  const select = db.prepare(NAMING);
  const found = new Set(
    keys.flatMap((key) => select.all({ ns, project, key }).map((row) => row['record'] as number)),
  );
  return [...found]
    .filter((record) => after === null || record > after)
    .sort((a, b) => a - b)
    .slice(0, limit);
}

export function conceptState(db: Database, ns: number): ConceptState {
  const row = db.prepare('SELECT up_to, rules FROM concept_progress WHERE ns = ?').get(ns);
  const stale = db.prepare('SELECT count(*) AS n FROM concept_stale WHERE ns = ?').get(ns);
  const pending = db.prepare('SELECT count(*) AS n FROM concept_change WHERE ns = ? AND applied = 0').get(ns);
  return {
    upTo: Number(row?.['up_to'] ?? 0),
    rules: (row?.['rules'] as string | undefined) ?? '',
    stale: Number(stale?.['n']),
    pending: Number(pending?.['n']),
  };
}

export function staleConcepts(db: Database, ns: number, limit: number): number[] {
  return db
    .prepare('SELECT record FROM concept_stale WHERE ns = ? ORDER BY record LIMIT ?')
    .all(ns, limit)
    .map((row) => row['record'] as number);
}

export function pendingConceptChanges(db: Database, ns: number): string[] {
  return db
    .prepare('SELECT id FROM concept_change WHERE ns = ? AND applied = 0 ORDER BY at, id')
    .all(ns)
    .map((row) => row['id'] as string);
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
      ...(JSON.parse(row['detail'] as string) as ConceptChangeDetail),
    }));
}
