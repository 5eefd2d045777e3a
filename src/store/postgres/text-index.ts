import { stem } from '../../core/text/analyze.ts';
import type { StoredLanguage } from '../../core/text/language/language.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import { lookUp, type SeparateLookUp } from '../lexical/look-up.ts';
import type { QueryVector, TextQuery, Vocabulary } from '../search-model.ts';
import type { StateCounts, TextChange, TextIndex, TextScore } from '../sql/driver.ts';
import type { PassageFilter } from '../sql/filter.ts';
import type { Sql } from '../sql/sql.ts';
import { countPhrases, searchText, TextCounts, verifyText } from './text-search.ts';
import { knownWords, RememberedWords } from './vocabulary.ts';

/** A `tsvector` of the terms of each passage, and a table of words and terms with the numbers of their passages. */
export class PostgresTextIndex implements TextIndex {
  readonly #sql: Sql;
  readonly #remembered = new RememberedWords();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async create(): Promise<void> {
    // All namespaces are in the same tables.
  }

  async change(ns: number, { created = [], added, removed, erased }: TextChange): Promise<StateCounts> {
    const changes = new TextCounts(ns);
    const gone = [...removed, ...erased];
    if (gone.length === 0 && added.length === 0 && created.length === 0) return {};
    for (const entry of gone) changes.count(entry, -1);
    const rows = added.map((entry) => changes.count(entry, 1));
    const createdRows = created.map(({ record, ...entry }) => {
      const row = changes.count({ passage: 0, ...entry }, 1);
      return { record, ordinal: entry.text.ordinal, length: row['length']!, terms: row['terms']! };
    });
    if (gone.length > 0)
      await this.#sql.change(
        `DELETE FROM passage_text WHERE ns = :ns AND ${this.#sql.dialect.isIn('passage', 'passages')}`,
        { ns, passages: gone.map(({ passage }) => passage) },
      );
    if (added.length > 0)
      await this.#sql.change(
        `INSERT INTO passage_text (ns, passage, length, terms)
         SELECT ns, passage, length, terms::tsvector FROM jsonb_to_recordset(:rows::jsonb)
           AS each(ns bigint, passage bigint, length bigint, terms text)`,
        { rows },
      );
    if (created.length > 0)
      await this.#sql.change(
        `INSERT INTO passage_text (ns, passage, length, terms)
         SELECT p.ns, p.id, each.length, each.terms::tsvector FROM jsonb_to_recordset(:rows::jsonb)
           AS each(record bigint, ordinal bigint, length bigint, terms text)
         JOIN passage AS p ON p.ns = :ns AND p.record = each.record AND p.ordinal = each.ordinal`,
        { ns, rows: createdRows },
      );
    await this.#addCounts(ns, changes);
    return { text_passages: created.length + added.length - gone.length, text_terms: changes.length };
  }

  search(
    ns: number,
    query: TextQuery,
    filter: PassageFilter,
    limit: number,
    _deadline: Deadline,
    compared?: QueryVector,
  ): Promise<TextScore[]> {
    return searchText(this.#sql, ns, query, filter, limit, compared);
  }

  async terms(
    ns: number,
    words: readonly string[],
    languages: readonly StoredLanguage[],
    deadline: Deadline,
    separate?: SeparateLookUp,
  ): Promise<Vocabulary> {
    const found = await this.#sql.within(deadline, () =>
      lookUp(knownWords(this.#sql, ns, deadline, this.#remembered), words, languages, deadline, separate),
    );
    if (found !== null) return found;
    return { terms: words.map((word) => ({ word, passages: 0, near: [], isPartial: true })), languages: [] };
  }

  countPhrases(
    ns: number,
    phrases: readonly (readonly string[])[],
    filter: PassageFilter,
  ): Promise<number[]> {
    return countPhrases(this.#sql, ns, phrases, filter);
  }

  /** A word is counted by one statement, that of its kind of change. */
  async #addCounts(ns: number, { words, terms }: TextCounts): Promise<void> {
    const changed = [...new Set([...words.keys(), ...terms.keys()])].flatMap((word) => {
      const [passages, indexed] = [words.get(word) ?? 0, terms.get(word) ?? 0];
      // Only words are looked up by their stem.
      const row = { word, stem: passages > 0 ? stem(word) : word, passages, indexed };
      return passages === 0 && indexed === 0 ? [] : [row];
    });
    const [added = [], lowered = []] = [true, false].map((isAdded) =>
      changed.filter(({ passages, indexed }) => (passages > 0 || indexed > 0) === isAdded),
    );
    const given =
      'jsonb_to_recordset(:rows::jsonb) AS given(word text, stem text, passages integer, indexed integer)';
    if (added.length > 0)
      await this.#sql.change(
        `INSERT INTO term (ns, word, stem, passages, indexed) SELECT :ns, word, stem, passages, indexed FROM ${given}
         ON CONFLICT (ns, word) DO UPDATE
           SET passages = term.passages + excluded.passages, indexed = term.indexed + excluded.indexed,
             stem = CASE WHEN excluded.passages > 0 THEN excluded.stem ELSE term.stem END`,
        { ns, rows: added },
      );
    if (lowered.length === 0) return;
    const isLeft = 'term.passages + given.passages > 0 OR term.indexed + given.indexed > 0';
    await this.#sql.change(
      `WITH gone AS (DELETE FROM term USING ${given} WHERE term.ns = :ns AND term.word = given.word AND NOT (${isLeft}))
       UPDATE term SET passages = term.passages + given.passages, indexed = term.indexed + given.indexed
       FROM ${given} WHERE term.ns = :ns AND term.word = given.word AND (${isLeft})`,
      { ns, rows: lowered },
    );
  }

  async countWords(ns: number): Promise<number> {
    return Number(
      (await this.#sql.get('SELECT count(*) AS n FROM term WHERE ns = :ns AND passages > 0', { ns }))?.['n'],
    );
  }

  async merge(): Promise<void> {
    // Writes put nothing off.
  }

  async reset(ns: number): Promise<void> {
    for (const table of ['passage_text', 'term'])
      await this.#sql.change(`DELETE FROM ${table} WHERE ns = :ns`, { ns });
    await this.#sql.change('UPDATE namespace_state SET text_passages = 0, text_terms = 0 WHERE ns = :ns', {
      ns,
    });
  }

  async drop(): Promise<void> {
    // All namespaces have the same tables.
  }

  verify(ns: number, limit: number): Promise<string[]> {
    return verifyText(this.#sql, ns, limit);
  }

  async refresh(): Promise<void> {
    // Connections remember nothing of the index.
  }
}
