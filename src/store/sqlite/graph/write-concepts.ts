import type { ChangeKind } from '../../model.ts';
import {
  type ConceptChange,
  type ConceptMention,
  type ConceptUpdate,
  MAX_MENTIONING_RECORDS,
  type RecordNames,
  type TouchedNames,
} from '../../concept-model.ts';
import type { Database } from '../database/database.ts';
import { nameFrequencies, recordConcepts } from './read-concepts.ts';

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
  // Mentions that are kept belong to the project of their record, even if a record has moved to another one.
  const moveMentions = db.prepare(
    'UPDATE concept_mention SET project = :project WHERE ns = :ns AND record = :record AND project <> :project',
  );
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
    moveMentions.run({ ns, record, project: own.project });
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
