import type { RecordHeader } from '../../search-model.ts';
import { recordTime } from '../../rules/record-time.ts';
import { HEADER_COLUMNS, headerOf } from '../rows.ts';
import type { Row, Sql } from '../sql.ts';
import { linkRows, sameRows, scanningResolver, storedLinks } from './links.ts';
import { nameRows, storedNames } from './names.ts';

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
