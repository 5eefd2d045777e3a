import { MARKER_WORDS, MAX_SMALL_VOCABULARY, storedLanguages } from '../../../core/text/language/language.ts';
import type { Deadline } from '../../../core/time/deadline.ts';
import { MAX_COMPARED, MIN_PREFIX } from '../../lexical/inflections.ts';
import type { KnownWords } from '../../lexical/known-words.ts';
import { allowedEdits } from '../../lexical/spelling.ts';
import { WordList } from '../../lexical/word-list.ts';
import type { Sql } from '../../sql/sql.ts';
import { readTotals } from './text-search.ts';

/** Words that are read to find the corrections of one. */
const MAX_KNOWN = 200_000;

/** The words of a namespace in the table `term`. */
export function knownWords(sql: Sql, ns: number, deadline: Deadline): KnownWords {
  return {
    languages: async () => {
      const { passages } = await readTotals(sql, ns);
      const rows = await sql.all(
        `(SELECT word, passages FROM term WHERE ns = :ns AND ${sql.dialect.isIn('word', 'markers')})
         UNION (SELECT word, passages FROM term WHERE ns = :ns LIMIT :limit)`,
        { ns, markers: MARKER_WORDS, limit: MAX_SMALL_VOCABULARY + 1 },
      );
      const words = rows.map((row) => [String(row['word']), Number(row['passages'])] as const);
      const byWord = new Map(words);
      return storedLanguages({
        passages,
        passagesOf: (word) => byWord.get(word) ?? 0,
        words: words.length > MAX_SMALL_VOCABULARY ? [] : words,
      });
    },
    stemCounts: async (stems) => {
      const rows = await sql.all(
        `SELECT stem, sum(passages) AS n FROM term WHERE ns = :ns AND ${sql.dialect.isIn('stem', 'stems')} GROUP BY stem`,
        { ns, stems },
      );
      return new Map(rows.map((row) => [String(row['stem']), Number(row['n'])]));
    },
    beginningWith: async (candidates) => {
      const rows = await sql.all(
        `SELECT each.place, t.word FROM ${sql.dialect.rows('wanted', { place: 'integer', prefix: 'text', above: 'text', longest: 'integer' })} AS each
         CROSS JOIN LATERAL (SELECT word FROM term WHERE ns = :ns AND word >= each.prefix COLLATE "C" AND word < each.above COLLATE "C"
           AND length <= each.longest ORDER BY word LIMIT :limit) AS t ORDER BY each.place, t.word`,
        {
          ns,
          limit: MAX_COMPARED,
          wanted: candidates.map(({ prefix, maxLength }, place) => ({
            ...{ place, prefix, above: `${prefix}\uffff`, longest: maxLength },
          })),
        },
      );
      const byPlace = Map.groupBy(rows, (row) => Number(row['place']));
      return candidates.map((_, place) => (byPlace.get(place) ?? []).map((row) => String(row['word'])));
    },
    containing: async (part) => {
      const rows = await sql.all(
        `SELECT word FROM term WHERE ns = :ns AND word LIKE :pattern AND position(:part IN word) > ${String(MIN_PREFIX)}
         ORDER BY word LIMIT :limit`,
        { ns, part, pattern: `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`, limit: MAX_COMPARED },
      );
      return rows.map((row) => String(row['word']));
    },
    near: async (word) => {
      const edits = allowedEdits(word.length);
      // Two values instead of rows, which would take ten times as long. No word has a space.
      const row = await sql.get(
        `SELECT string_agg(word, ' ') AS words, string_agg(passages::text, ' ') AS passages FROM (
           SELECT word, passages FROM term WHERE ns = :ns AND length BETWEEN :shortest AND :longest LIMIT :limit) AS known`,
        { ns, shortest: word.length - edits, longest: word.length + edits, limit: MAX_KNOWN },
      );
      const list = new WordList();
      if (typeof row?.['words'] === 'string')
        list.add(row['words'].split(' '), String(row['passages']).split(' ').map(Number));
      return list.near(word, deadline);
    },
  };
}
