import type { ConceptMention, ConceptUpdate, ProjectName, RecordNames } from '../../concept-model.ts';
import type { ChangeKind } from '../../model.ts';
import type { Sql } from '../sql.ts';
import { liveRecords } from './write.ts';

/** Within a transaction. */
export async function putConcepts(sql: Sql, ns: number, update: ConceptUpdate): Promise<void> {
  const { names, mentions, searched = [], progress } = update;
  if (names !== undefined) await putNames(sql, ns, names);
  if (mentions !== undefined) await putMentions(sql, ns, mentions);
  const settled = searched === 'all' ? [{ ns }] : searched.map(({ project, key }) => ({ ns, project, key }));
  await sql.remove('concept_changed', settled);
  if (progress === undefined) return;
  const { upTo, rules } = progress;
  await sql.write('concept_progress', [{ ns, up_to: upTo, rules }], 'replace');
}

async function putNames(sql: Sql, ns: number, names: ReadonlyMap<number, RecordNames | null>): Promise<void> {
  const records = [...names.keys()];
  if (records.length === 0) return;
  const live = await liveRecords(sql, ns, records);
  const before = await claimsOf(sql, ns, records);
  const present = [...names].flatMap(([record, own]) =>
    own === null || !live.has(record) ? [] : [{ record, ...own }],
  );
  const after = present.flatMap(({ record, project, names: own }) =>
    own
      .filter(({ kind }) => kind === 'title' || kind === 'alias')
      .map(({ key }) => ({ record, project, key })),
  );
  await noteChanged(sql, ns, before, after);
  const rows = records.map((record) => ({ ns, record }));
  await sql.remove('concept_name', rows);
  await sql.remove('concept_record', rows);
  const kept = new Set(present.map(({ record }) => record));
  await sql.remove('concept_mention', rows.filter(({ record }) => !kept.has(record))); // prettier-ignore
  await sql.write('concept_record', present.map(({ record, project, note }) => ({ ns, record, project, note }))); // prettier-ignore
  await moveMentions(sql, ns, [...kept]);
  await sql.write(
    'concept_name',
    present.flatMap(({ record, project, names: own }) =>
      own.map(({ key, text, kind, line }) => ({ ns, record, key, project, text, kind, line })),
    ),
  );
}

interface Claim extends ProjectName {
  readonly record: number;
}

/** The titles and aliases of records. */
async function claimsOf(sql: Sql, ns: number, records: readonly number[]): Promise<Claim[]> {
  const { list, join } = sql.dialect;
  const rows = await sql.all(
    `SELECT c.record, c.project, c.key FROM ${list('records', 'integer')} AS w
     ${join} concept_name AS c ON c.ns = :ns AND c.record = w.value WHERE c.kind IN ('title', 'alias')`,
    { ns, records },
  );
  return rows as unknown as Claim[];
}

/** Notes the titles and aliases that a record gets or loses. */
async function noteChanged(
  sql: Sql,
  ns: number,
  before: readonly Claim[],
  after: readonly Claim[],
): Promise<void> {
  const keyOf = ({ record, project, key }: Claim): string => JSON.stringify([record, project, key]);
  const without = (names: readonly Claim[], others: readonly Claim[]): Claim[] => {
    const known = new Set(others.map(keyOf));
    return names.filter((name) => !known.has(keyOf(name)));
  };
  const changed = [...without(before, after), ...without(after, before)];
  await sql.write('concept_changed', changed.map(({ project, key }) => ({ ns, project, key })), 'skip'); // prettier-ignore
}

/** Mentions that are kept belong to the project of their record, even if a record has moved to another one. */
async function moveMentions(sql: Sql, ns: number, records: readonly number[]): Promise<void> {
  if (records.length === 0) return;
  const project =
    'SELECT project FROM concept_record AS r WHERE r.ns = :ns AND r.record = concept_mention.record';
  await sql.run(
    `UPDATE concept_mention SET project = (${project})
     WHERE ns = :ns AND ${sql.dialect.isIn('record', 'records')} AND project <> (${project})`,
    { ns, records },
  );
}

async function putMentions(
  sql: Sql,
  ns: number,
  mentions: ReadonlyMap<number, readonly ConceptMention[]>,
): Promise<void> {
  const records = [...mentions.keys()];
  if (records.length === 0) return;
  const { list, join } = sql.dialect;
  const projects = await sql.all(
    `SELECT r.record, r.project FROM ${list('records', 'integer')} AS w
     ${join} concept_record AS r ON r.ns = :ns AND r.record = w.value`,
    { ns, records },
  );
  await sql.remove('concept_mention', records.map((record) => ({ ns, record }))); // prettier-ignore
  await sql.write(
    'concept_mention',
    projects.flatMap(
      ({ record, project }) =>
      mentions.get(record as number)!.map(({ key, line, count }) => ({ ns, record: record!, key, project: project!, line, count })), // prettier-ignore
    ),
  );
}

/** Removes what belongs to records that are gone. Within their transaction. */
export async function removeConcepts(
  sql: Sql,
  ns: number,
  kinds: ReadonlyMap<number, ChangeKind>,
): Promise<void> {
  const gone = [...kinds].filter(([, kind]) => kind !== 'written');
  await putNames(sql, ns, new Map(gone.map(([record]) => [record, null])));
}

/** Discards everything derived. Changes by operators stay. Within a transaction. */
export async function resetConcepts(sql: Sql, ns: number): Promise<void> {
  for (const table of [
    'concept_record',
    'concept_name',
    'concept_mention',
    'concept_changed',
    'concept_progress',
  ] as const)
    // prettier-ignore
    await sql.remove(table, [{ ns }]);
}
