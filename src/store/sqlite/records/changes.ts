import type { ChangeKind, ChangePage, Page, RecordChange } from '../../model.ts';
import type { Sql } from '../../sql/sql.ts';
import type { Database } from '../database/database.ts';
import { removeConcepts } from '../graph/write-concepts.ts';
import { markStale } from '../graph/stale.ts';
import { removeGraph } from '../graph/write.ts';
import { removeBelongsTo } from './belongs-to.ts';
import { deriveLinks } from './links.ts';
import { deriveMentionNames } from './mention-names.ts';
import { deriveNoteNames } from './note-names.ts';
import { deriveRecordTimes } from './timeline.ts';
import type { WordCounts } from '../text/vocabulary.ts';

/** The most removals in the feed. A reader that has not read older ones must start again. */
const MAX_REMOVALS = 10_000;

/** Collects the record changes of a transaction in one namespace. The derived tables are updated once, at its end. */
export class RecordChanges {
  readonly words: WordCounts = new Map();
  readonly #kinds = new Map<number, ChangeKind>();
  readonly #withKey = new Set<number>();

  /** @param hasKey whether the record has or had a key; a record without one has no links, is not found by its name, and is not a link target */
  add(record: number, kind: ChangeKind, hasKey: boolean): void {
    // Removing the entry first moves the record to the end of the order, after its last change.
    this.#kinds.delete(record);
    this.#kinds.set(record, kind);
    if (hasKey) this.#withKey.add(record);
  }

  /** Updates the derived tables. Within the transaction, after the records were written. */
  async derive(db: Database, sql: Sql, ns: number): Promise<void> {
    if (this.#kinds.size === 0) return;
    let linking = new Set<number>();
    if (this.#withKey.size > 0) {
      linking = deriveLinks(db, ns, this.#withKey);
      deriveNoteNames(db, ns, this.#withKey);
    }
    if (this.#kinds.size > 0) {
      deriveRecordTimes(db, ns, this.#kinds.keys());
      deriveMentionNames(db, ns, this.#kinds.keys());
    }
    await appendChanges(db, sql, ns, this.#kinds, linking);
  }
}

/** @param linking other records whose links mean other records from now on */
async function appendChanges(
  db: Database,
  _sql: Sql,
  ns: number,
  kinds: ReadonlyMap<number, ChangeKind>,
  linking: ReadonlySet<number>,
): Promise<void> {
  const last = db.prepare('SELECT last_change AS n FROM namespace WHERE id = ?').get(ns);
  const insert = db.prepare('INSERT OR REPLACE INTO change (ns, sequence, record, kind) VALUES (?, ?, ?, ?)');
  let sequence = Number(last?.['n']);
  for (const [record, kind] of kinds) insert.run(ns, ++sequence, record, kind);
  db.prepare('UPDATE namespace SET last_change = ? WHERE id = ?').run(sequence, ns);
  if ([...kinds.values()].includes('removed')) trimRemovals(db, ns);
  removeBelongsTo(db, ns, kinds);
  markStale(db, ns, kinds, linking, sequence);
  removeGraph(db, ns, kinds);
  removeConcepts(db, ns, kinds);
}

/** Deletes the oldest removals if the feed has more than `MAX_REMOVALS`. */
function trimRemovals(db: Database, ns: number): void {
  const oldest = db
    .prepare(
      `SELECT sequence FROM change INDEXED BY change_removed
       WHERE ns = ? AND kind = 'removed' ORDER BY sequence DESC LIMIT 1 OFFSET ?`,
    )
    .get(ns, MAX_REMOVALS);
  if (oldest === undefined) return;
  const upTo = oldest['sequence'] as number;
  db.prepare(`DELETE FROM change WHERE ns = ? AND kind = 'removed' AND sequence <= ?`).run(ns, upTo);
  db.prepare('UPDATE namespace SET trimmed_change = ? WHERE id = ?').run(upTo, ns);
}

export function changes(db: Database, ns: number, { after, limit }: Page<number>): ChangePage {
  const row = db.prepare('SELECT last_change, trimmed_change FROM namespace WHERE id = ?').get(ns);
  const isInFeed =
    Number(row?.['trimmed_change']) <= (after ?? 0) && (after ?? 0) <= Number(row?.['last_change']);
  if (after !== null && !isInFeed) return { changes: [], mustRestart: true };
  const rows = db
    .prepare(
      'SELECT sequence, record, kind FROM change WHERE ns = ? AND sequence > ? ORDER BY sequence LIMIT ?',
    )
    .all(ns, after ?? 0, limit);
  return {
    changes: rows.map((row) => ({
      sequence: row['sequence'] as number,
      record: row['record'] as number,
      kind: row['kind'] as RecordChange['kind'],
    })),
    mustRestart: false,
  };
}

export function verifyChanges(db: Database, ns: number, limit: number): string[] {
  const wrong = [...wrongChanges(db, ns)].slice(0, limit);
  return wrong.map(([record]) => `the change feed does not have the state of record ${String(record)}`);
}

/** Adds a change for every record whose state the feed does not have. Within a transaction. */
export async function repairChanges(db: Database, sql: Sql, ns: number): Promise<void> {
  const wrong = wrongChanges(db, ns);
  if (wrong.size > 0) await appendChanges(db, sql, ns, wrong, new Set());
}

/** The correct last change of each record for which the feed has none or a different one. */
function wrongChanges(db: Database, ns: number): Map<number, ChangeKind> {
  const rows = db
    .prepare(
      `SELECT * FROM (
         SELECT coalesce(r.id, c.record) AS record, c.kind AS present,
           CASE WHEN r.id IS NULL THEN 'removed' WHEN r.deleted_at IS NULL THEN 'written' ELSE 'deleted' END AS kind
         FROM (SELECT id, deleted_at FROM record WHERE ns = ?) AS r
         FULL JOIN (SELECT record, kind FROM change WHERE ns = ?) AS c ON c.record = r.id)
       WHERE present IS NOT kind ORDER BY record`,
    )
    .all(ns, ns);
  return new Map(rows.map((row) => [row['record'] as number, row['kind'] as ChangeKind]));
}
