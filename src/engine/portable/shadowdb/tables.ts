import { LociError } from '../../../core/errors.ts';
import type { ForeignDatabase } from '../../../store/store.ts';

export interface ForeignTable {
  /** As in messages. */
  readonly label: string;
  /** With its schema and in quotes, for statements. */
  readonly name: string;
  readonly schema: string;
  /** The type of each column that the user may read. */
  readonly columns: ReadonlyMap<string, string>;
  readonly unreadable: readonly string[];
}

/** What a statement has for a column. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const PART = '"(?:[^"]|"")+"|[^".]+';
/** `memories`, `agents.memories`, `"My memories"`. */
const TABLE = new RegExp(`^(?:(?<schema>${PART})\\.)?(?<table>${PART})$`);

/**
 * The table of memories.
 * @param given its name as in SQL, or without the quotes that SQL needs
 * @throws LociError `invalid_input`, `unreadable`
 */
export async function findMemories(database: ForeignDatabase, given: string): Promise<ForeignTable> {
  const { schema, table } = TABLE.exec(given)?.groups ?? {};
  if (table === undefined)
    throw new LociError('invalid_input', `table: ${JSON.stringify(given)} is not the name of a table`, {
      hint: 'It looks like this: memories, agents.memories or "My memories"',
    });
  const tables = await findTables(database, namesOf(table), schema === undefined ? null : namesOf(schema));
  const [found] = tables;
  if (found === undefined) throw await missing(database, given);
  assertMemories(found);
  return found;
}

/** SQL reads names without quotes in lower case. A name that is there as given comes first. */
function namesOf(part: string): string[] {
  return part.startsWith('"') ? [part.slice(1, -1).replaceAll('""', '"')] : [part, part.toLowerCase()];
}

/**
 * The tables and views of these names, in the order of the names.
 * @param schemas `null` for those that need no schema before their name
 */
export async function findTables(
  database: ForeignDatabase,
  names: readonly string[],
  schemas: readonly string[] | null,
): Promise<ForeignTable[]> {
  const rows = await database.query(
    `SELECT c.relname AS label, format('%I.%I', n.nspname, c.relname) AS name, n.nspname AS schema,
       (SELECT json_agg(json_build_array(a.attname, format_type(a.atttypid, NULL), has_column_privilege(c.oid, a.attnum, 'SELECT'))
                        ORDER BY a.attnum)
        FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
     FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname = ANY($1::text[])
       AND CASE WHEN $2::text[] IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = ANY($2::text[]) END
     ORDER BY array_position($2::text[], n.nspname::text), array_position($1::text[], c.relname::text)`,
    [names, schemas],
  );
  return rows.map(({ label, name, schema, columns }) => {
    const all = JSON.parse(columns ?? '[]') as [name: string, type: string, isReadable: boolean][];
    return {
      label: label!,
      name: name!,
      schema: schema!,
      columns: new Map(all.flatMap(([column, type, isReadable]) => (isReadable ? [[column, type]] : []))),
      unreadable: all.flatMap(([column, , isReadable]) => (isReadable ? [] : column)),
    };
  });
}

async function missing(database: ForeignDatabase, given: string): Promise<LociError> {
  const rows = await database.query(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name
     FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attname IN ('id', 'content') AND n.nspname !~ '^(pg_|information_schema$)'
     GROUP BY 1 HAVING count(*) = 2 ORDER BY 1 LIMIT 10`,
  );
  const names = rows.map(({ name }) => name).join(', ');
  return new LociError('invalid_input', `${database.name} has no table ${given} that this user can see`, {
    hint:
      names === ''
        ? 'Check the name of the database. No table in it has the columns id and content, as one of ShadowDB has.'
        : `Name another with --table. These have the columns id and content: ${names}`,
  });
}

const INTEGERS: readonly string[] = ['smallint', 'integer', 'bigint'];

function assertMemories({ name, columns, unreadable }: ForeignTable): void {
  const needed = ['id', 'content'].filter((column) => !columns.has(column));
  if (needed.some((column) => unreadable.includes(column)))
    throw new LociError('unreadable', `the user of the connection string may not read ${name}`, {
      hint: `Its owner may run \`GRANT SELECT ON ${name} TO\` the user.`,
    });
  const type = columns.get('id') ?? '';
  if (needed.length === 0 && INTEGERS.includes(type)) return;
  const why =
    needed.length > 0 ? `it has no column ${needed.join(' and ')}` : `its ids have the type ${type}`;
  throw new LociError('invalid_input', `${name} is no table of memories of ShadowDB: ${why}`, {
    hint: `Its columns are ${[...columns.keys()].join(', ')}. Name another table with --table.`,
  });
}
