import type { ChangeKind } from '../../model.ts';
import type { ConceptMention, ConceptUpdate, ProjectName, RecordNames } from '../../concept-model.ts';
import type { Database } from '../database/database.ts';

/** Within a transaction. */
export function putConcepts(db: Database, ns: number, update: ConceptUpdate): void {
  const { names, mentions, searched = [], progress } = update;
  if (names !== undefined) putNames(db, ns, names);
  if (mentions !== undefined) putMentions(db, ns, mentions);
  if (searched === 'all') db.prepare('DELETE FROM concept_changed WHERE ns = ?').run(ns);
  else {
    const settle = db.prepare('DELETE FROM concept_changed WHERE ns = ? AND project = ? AND key = ?');
    for (const { project, key } of searched) settle.run(ns, project, key);
  }
  if (progress === undefined) return;
  db.prepare('INSERT OR REPLACE INTO concept_progress (ns, up_to, rules) VALUES (?, ?, ?)').run(
    ns,
    progress.upTo,
    progress.rules,
  );
}

function putNames(db: Database, ns: number, names: ReadonlyMap<number, RecordNames | null>): void {
  const claims = db.prepare(
    "SELECT project, key FROM concept_name WHERE ns = ? AND record = ? AND kind IN ('title', 'alias')",
  );
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
    const before = claims.all(ns, record);
    const isGone = own === null || isLive.get(ns, record) === undefined;
    noteChanged(db, ns, before as unknown as ProjectName[], isGone ? [] : claimsOf(own));
    removeNames.run(ns, record);
    removeOwn.run(ns, record);
    if (isGone) {
      removeMentions.run(ns, record);
      continue;
    }
    insertOwn.run(ns, record, own.project, own.note);
    moveMentions.run({ ns, record, project: own.project });
    for (const { key, text, kind, line } of own.names)
      insert.run(ns, record, key, own.project, text, kind, line);
  }
}

function claimsOf({ project, names }: RecordNames): ProjectName[] {
  return names.flatMap(({ key, kind }) => (kind === 'title' || kind === 'alias' ? [{ project, key }] : []));
}

/** Notes the titles and aliases that a record gets or loses. */
function noteChanged(
  db: Database,
  ns: number,
  before: readonly ProjectName[],
  after: readonly ProjectName[],
): void {
  const mark = db.prepare('INSERT OR IGNORE INTO concept_changed (ns, project, key) VALUES (?, ?, ?)');
  const isIn = (names: readonly ProjectName[], { project, key }: ProjectName): boolean =>
    names.some((name) => name.project === project && name.key === key);
  const changed = [
    ...before.filter((name) => !isIn(after, name)),
    ...after.filter((name) => !isIn(before, name)),
  ];
  for (const { project, key } of changed) mark.run(ns, project, key);
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

/** Removes what belongs to records that are gone. Within their transaction. */
export function removeConcepts(db: Database, ns: number, kinds: ReadonlyMap<number, ChangeKind>): void {
  const gone = [...kinds].filter(([, kind]) => kind !== 'written');
  putNames(db, ns, new Map(gone.map(([record]) => [record, null])));
}

/** Discards everything derived. Changes by operators stay. Within a transaction. */
export function resetConcepts(db: Database, ns: number): void {
  for (const table of [
    'concept_record',
    'concept_name',
    'concept_mention',
    'concept_changed',
    'concept_progress',
  ])
    db.prepare(`DELETE FROM ${table} WHERE ns = ?`).run(ns);
}
