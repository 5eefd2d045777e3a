import { stem } from '../../core/text/analyze.ts';
import type { StoredLanguage } from '../../core/text/language/language.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import { lookUp } from '../lexical/look-up.ts';
import type { QueryVector, TextQuery, Vocabulary } from '../search-model.ts';
import type { TextChange, TextIndex, TextScore } from '../sql/driver.ts';
import type { PassageFilter } from '../sql/filter.ts';
import type { Sql } from '../sql/sql.ts';
import { searchText, TextCounts, verifyText } from './text-search.ts';
import { knownWords, RememberedWords } from './vocabulary.ts';

/** A `tsvector` of the terms of each passage, and tables of terms and words with the numbers of their passages. */
export class PostgresTextIndex implements TextIndex {
  readonly #sql: Sql;
  readonly #remembered = new RememberedWords();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async create(): Promise<void> {
    // All namespaces are in the same tables.
  }

  async change(ns: number, { added, removed, erased }: TextChange): Promise<void> {
    const changes = new TextCounts(ns);
    const gone = [...removed, ...erased];
    for (const entry of gone) changes.count(entry, -1);
    const rows = added.map((entry) => changes.count(entry, 1));
    if (gone.length > 0)
      await this.#sql.change(
        `DELETE FROM passage_text WHERE ns = :ns AND ${this.#sql.dialect.isIn('passage', 'passages')}`,
        { ns, passages: gone.map(({ passage }) => passage) },
      );
    if (gone.length === 0 && added.length === 0) return;
    await this.#sql.change(
      `INSERT INTO passage_text (ns, passage, length, terms)
       SELECT ns, passage, length, terms::tsvector FROM jsonb_to_recordset(:rows::jsonb)
         AS each(ns bigint, passage bigint, length bigint, terms text)`,
      { rows },
    );
    await this.#addCounts('term', 'word', changes.words, ns);
    await this.#addCounts('text_term', 'term', changes.terms, ns);
    await this.#sql.change(
      'UPDATE namespace SET text_passages = text_passages + :passages, text_terms = text_terms + :terms WHERE id = :ns',
      { ns, passages: added.length - gone.length, terms: changes.length },
    );
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
  ): Promise<Vocabulary> {
    const found = await this.#sql.within(deadline, () =>
      lookUp(knownWords(this.#sql, ns, deadline, this.#remembered), words, languages, deadline),
    );
    if (found !== null) return found;
    return { terms: words.map((word) => ({ word, passages: 0, near: [], isPartial: true })), languages: [] };
  }

  /** In the order of the words, so that two transactions never wait for one another. */
  async #addCounts(
    table: 'term' | 'text_term',
    column: 'word' | 'term',
    counts: ReadonlyMap<string, number>,
    ns: number,
  ): Promise<void> {
    const changed = [...counts].filter(([, by]) => by !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
    if (changed.length === 0) return;
    const hasStem = table === 'term';
    const rows = changed.map(([each, passages]) => ({
      ns,
      each,
      passages,
      ...(hasStem && { stem: stem(each) }),
    }));
    await this.#sql.change(
      `INSERT INTO ${table} (ns, ${column}, passages${hasStem ? ', stem' : ''})
       SELECT ns, each, passages${hasStem ? ', stem' : ''}
       FROM jsonb_to_recordset(:rows::jsonb) AS given(ns bigint, "each" text, passages bigint, stem text)
       ON CONFLICT (ns, ${column}) DO UPDATE SET passages = ${table}.passages + excluded.passages`,
      { rows },
    );
    const lowered = changed.flatMap(([each, by]) => (by < 0 ? [each] : []));
    if (lowered.length > 0)
      await this.#sql.change(
        `DELETE FROM ${table} WHERE ns = :ns AND ${this.#sql.dialect.isIn(column, 'lowered')} AND passages <= 0`,
        { ns, lowered },
      );
  }

  async countWords(ns: number): Promise<number> {
    return Number((await this.#sql.get('SELECT count(*) AS n FROM term WHERE ns = :ns', { ns }))?.['n']);
  }

  async merge(): Promise<void> {
    // Writes put nothing off.
  }

  async reset(ns: number): Promise<void> {
    for (const table of ['passage_text', 'text_term', 'term'])
      await this.#sql.change(`DELETE FROM ${table} WHERE ns = :ns`, { ns });
    await this.#sql.change('UPDATE namespace SET text_passages = 0, text_terms = 0 WHERE id = :ns', { ns });
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
