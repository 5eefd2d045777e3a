import { storedJson } from '../../sql/stored-json.ts';
import type { GoldenQuery, GoldenResult, StoredGoldenQuery } from '../../golden-model.ts';
import type { Page } from '../../model.ts';
import { assertSafeIntegers } from '../../rules/validation.ts';
import { wellFormed } from '../../rules/well-formed.ts';
import type { Database } from '../database/database.ts';
import type { Row } from '../../sql/rows.ts';

const COLUMNS = 'id, query, project, expected, at, actor';

/** Each replaces the one with its id. Within a transaction. */
export function putGoldenQueries(db: Database, ns: number, queries: readonly GoldenQuery[]): void {
  const last = db.prepare('SELECT max(sequence) AS n FROM golden_query WHERE ns = ?').get(ns);
  let sequence = Number(last?.['n'] ?? 0);
  const existing = db.prepare('SELECT sequence FROM golden_query WHERE ns = ? AND id = ?');
  const put = db.prepare(
    `INSERT OR REPLACE INTO golden_query (ns, sequence, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const golden of queries) {
    const { id, query, project, expected, at, actor } = wellFormed(golden);
    assertSafeIntegers({ at });
    const before = existing.get(ns, id)?.['sequence'];
    const own = before === undefined ? ++sequence : (before as number);
    put.run(ns, own, id, query, project, JSON.stringify(expected), at, actor);
  }
}

export function goldenQueries(db: Database, ns: number, { after, limit }: Page<number>): StoredGoldenQuery[] {
  return db
    .prepare(
      `SELECT sequence, ${COLUMNS} FROM golden_query WHERE ns = ? AND sequence > ? ORDER BY sequence LIMIT ?`,
    )
    .all(ns, after ?? 0, limit)
    .map(goldenQueryOf);
}

function goldenQueryOf(row: Row): StoredGoldenQuery {
  return {
    sequence: row['sequence'] as number,
    id: row['id'] as string,
    query: row['query'] as string,
    project: row['project'] as string | null,
    expected: storedJson(
      row['expected'],
      () => `the results of golden query ${String(row['id'])}`,
    ) as GoldenResult[],
    at: row['at'] as number,
    actor: row['actor'] as string,
  };
}
