import { LociError } from '../../../core/errors.ts';
import { sha256, uuidv7 } from '../../../core/ids.ts';
import { isJsonMap } from '../../../core/json.ts';
import { formatCount } from '../../../core/text/format-count.ts';
import type { Json, Metadata, Timestamp } from '../../../core/types.ts';
import { newDraft } from '../../../ingest/record-draft.ts';
import type { ForeignDatabase, ForeignRow } from '../../../store/store.ts';
import { lowerTrust } from '../../access/permission.ts';
import type { EngineContext } from '../../context.ts';
import { assertWithinLimits, MAX_TAGS, MAX_TITLE_LENGTH, type WritableFields } from '../../fields/limits.ts';
import { tagNames } from '../../fields/record-fields.ts';
import type { ExportedRecord } from '../items/item-type.ts';
import { CONTENT, contentOf, isTime, jsonColumn, jsonOf, textColumn, timeColumn, timeOf } from './columns.ts';
import { type ForeignTable, quoted } from './tables.ts';

const ROWS_PER_READ = 100;
const TEXTS = ['title', 'category', 'record_type'];
const TIMES = ['created_at', 'updated_at', 'deleted_at'];

/** Whether a column is derived from others. */
function isDerived([name, type]: readonly [string, string]): boolean {
  return /^(embedding|fts$)/.test(name) || /(^|\.)(vector|halfvec|sparsevec|tsvector)$/.test(type);
}

/** The table of memories, of whichever version. */
export class Memories {
  readonly #database: ForeignDatabase;
  readonly #table: ForeignTable;
  readonly #derived: readonly string[];
  /** The columns that become metadata: all that become no field of a record. */
  readonly #other: readonly string[];

  constructor(database: ForeignDatabase, table: ForeignTable) {
    this.#database = database;
    this.#table = table;
    this.#derived = [...table.columns].filter(isDerived).map(([name]) => name);
    const fields = ['id', 'content', 'tags', ...TEXTS, ...TIMES, ...this.#derived];
    this.#other = [...table.columns.keys()].filter((name) => !fields.includes(name));
  }

  /** The number of rows, what the table lacks, and which columns are not imported. */
  async describe(): Promise<{ rows: number; remarks: string[] }> {
    const { name, columns, unreadable } = this.#table;
    const counts = ['*', ...this.#derived.map((column) => `t.${quoted(column)}`)].map((of) => `count(${of})`);
    const [row] = await this.#database.query(
      `SELECT array_to_json(ARRAY[${counts.join(', ')}]) AS counts FROM ${name} AS t`,
    );
    const [rows = 0, ...values] = JSON.parse(row?.['counts'] ?? '[]') as number[];
    const lacking = ['tags', ...TEXTS, ...TIMES].filter(
      (column) => !columns.has(column) && !unreadable.includes(column),
    );
    const noTimes = TIMES.filter((column) => columns.has(column) && !isTime(this.#table, column));
    return {
      rows,
      remarks: [
        ...this.#derived.flatMap((column, i) =>
          values[i] === 0
            ? []
            : `the column ${column} of ${formatCount(values[i]!, 'row')}: Loci derives its own from the texts`,
        ),
        ...unreadable.map((column) => `the column ${column}, which this user may not read`),
        ...lacking.map((column) => `the column ${column}, which it does not have`),
        ...noTimes.map((column) => `the column ${column}, whose values are no times`),
      ],
    };
  }

  /** By id, in pages. A cursor takes as long for the last page as for the first, with an index and without one. */
  async *pages(): AsyncGenerator<ForeignRow[]> {
    const table = this.#table;
    const columns = [
      't.id',
      CONTENT,
      ...TEXTS.map((column) => textColumn(table, column)),
      jsonColumn(table, 'tags'),
      ...TIMES.map((column) => timeColumn(table, column)),
      ...this.#other.map((column, i) => jsonColumn(table, column, `other${String(i)}`)),
    ];
    await this.#database.query(
      `DECLARE loci_rows NO SCROLL CURSOR FOR SELECT ${columns.join(', ')} FROM ${table.name} AS t ORDER BY t.id`,
    );
    for (;;) {
      const rows = await this.#database.query(`FETCH ${String(ROWS_PER_READ)} FROM loci_rows`);
      if (rows.length === 0) return;
      yield rows;
    }
  }

  /**
   * The record of a row, and what of the row it does not have.
   * @param fallback the time of rows without any
   * @throws LociError `invalid_input`
   */
  record(
    context: EngineContext,
    row: ForeignRow,
    fallback: Timestamp,
  ): { record: ExportedRecord; lost: string[] } {
    const lost: string[] = [];
    const id = Number(row['id']);
    if (!Number.isSafeInteger(id) || id < 1)
      throw new LociError('invalid_input', 'its id is no positive number');
    const [created, updated, deleted] = TIMES.map((column) => {
      const at = timeOf(row[column]);
      if (at === null && row[column] !== null)
        lost.push(`its ${column}, which is no time of the years 1 to 9999`);
      return at;
    });
    const createdAt = created ?? updated ?? deleted ?? fallback;
    const updatedAt = updated ?? createdAt;
    const draft = newDraft(
      {
        content: contentOf(row),
        title: titleOf(row, lost),
        project: context.config.project,
        origin: 'memory',
        source: 'shadowdb',
        // Agents write these memories.
        trust: lowerTrust('agent', context.caller.trust),
        key: null,
        category: nonEmpty(row['category'], 'general'),
        recordType: nonEmpty(row['record_type'], 'fact'),
        tags: tagsOf(row, lost),
        metadata: this.#metadata(id, row, lost),
        createdAt,
        expiresAt: null,
      },
      context.now(),
    );
    const deletedAt = row['deleted_at'] === null ? null : (deleted ?? updatedAt);
    return { record: { ...draft, id, uuid: this.#uuid(id, created ?? null), updatedAt, deletedAt }, lost };
  }

  /** The same at each import. Rows of two databases that have the same id hardly have the same time of creation. */
  #uuid(id: number, created: Timestamp | null): string {
    const name = JSON.stringify([this.#table.name, id, created ?? this.#database.name]);
    return uuidv7(Math.max(0, created ?? 0), Buffer.from(sha256(name), 'hex').subarray(0, 16));
  }

  /** The metadata of the row, and under `shadowdb` its id and the other columns, as far as they fit. */
  #metadata(id: number, row: ForeignRow, lost: string[]): Metadata {
    let metadata: Metadata = { shadowdb: { id } };
    for (const [i, column] of this.#other.entries()) {
      const value = jsonOf(row[`other${String(i)}`]);
      const next = value === undefined ? null : withColumn(metadata, column, value);
      if (next !== null && isValid({ metadata: next })) metadata = next;
      else lost.push(`its ${column}, which does not fit into the metadata of a record`);
    }
    return metadata;
  }
}

function withColumn(metadata: Metadata, column: string, value: Json): Metadata {
  if (value === null) return metadata;
  if (column === 'metadata' && isJsonMap(value)) return { ...value, ...metadata };
  return { ...metadata, shadowdb: { ...(metadata['shadowdb'] as Metadata), [column]: value } };
}

function nonEmpty(text: string | null | undefined, fallback: string): string {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? fallback : trimmed;
}

function titleOf({ title }: ForeignRow, lost: string[]): string {
  const text = title?.trim() ?? '';
  if (text.length <= MAX_TITLE_LENGTH) return text;
  lost.push(`its title after ${String(MAX_TITLE_LENGTH)} characters`);
  // Not with half of a character at the end.
  return text.slice(0, MAX_TITLE_LENGTH).replace(/\p{Surrogate}$/u, '');
}

function tagsOf({ tags }: ForeignRow, lost: string[]): string[] {
  const given = jsonOf(tags);
  if (given === null) return [];
  if (!Array.isArray(given)) {
    lost.push('its tags, which are no list or a very long one');
    return [];
  }
  const names = tagNames(given.filter((tag) => typeof tag === 'string').map((tag) => tag.trim()));
  const valid = [...new Set(names)].filter((tag) => isValid({ tags: [tag] }));
  const omitted = new Set(given).size - Math.min(valid.length, MAX_TAGS);
  if (omitted > 0)
    lost.push(`${String(omitted)} of its tags, which are invalid, or more than ${String(MAX_TAGS)}`);
  return valid.slice(0, MAX_TAGS);
}

function isValid(fields: WritableFields): boolean {
  try {
    assertWithinLimits(fields);
    return true;
  } catch {
    return false;
  }
}
