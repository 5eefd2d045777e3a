import { LRUCache } from 'lru-cache';
import {
  MARKER_WORDS,
  MAX_SMALL_VOCABULARY,
  type StoredLanguage,
  storedLanguages,
} from '../../core/text/language/language.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import { type Candidates, type KnownWords, MAX_COMPARED, MIN_PREFIX } from '../lexical/look-up.ts';
import { allowedEdits, WordList } from '../lexical/spelling.ts';
import type { Row, Sql } from '../sql/sql.ts';

/** Words that are read to find the corrections of one. */
const MAX_KNOWN = 200_000;
/** The memory for words with which misspelt ones are compared, in bytes. */
const MAX_BYTES = 16_000_000;

const MAX_NAMESPACES = 1000;

/** What is remembered of the words of namespaces, as long as these are in the same state. */
export class RememberedWords {
  /** By namespace, its state and the lengths of the words. */
  readonly lists = new LRUCache<string, WordList>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => Math.min(MAX_BYTES, bytes + 1),
  });
  readonly languages = new LRUCache<number, { state: string; languages: readonly StoredLanguage[] }>({
    max: MAX_NAMESPACES,
  });
}

/** The words of a namespace in the table `term`. */
export function knownWords(
  sql: Sql,
  ns: number,
  deadline: Deadline,
  remembered: RememberedWords,
): KnownWords {
  // Every change of the words changes one of the numbers that `languages` reads.
  let state = '';
  return {
    languages: async () => {
      const known = remembered.languages.get(ns);
      const row = await namespaceWords(sql, ns, known?.state ?? '');
      state = String(row['state']);
      if (known?.state === state) return known.languages;
      const markers = new Map(wordsOf(row['markers']));
      const languages = storedLanguages({
        passages: Number(row['passages'] ?? 0),
        passagesOf: (word) => markers.get(word) ?? 0,
        words: wordsOf(row['words']),
      });
      remembered.languages.set(ns, { state, languages });
      return languages;
    },
    stemCounts: async (stems) => {
      const rows = await sql.all(
        `SELECT stem, sum(passages) AS n FROM term WHERE ns = :ns AND ${sql.dialect.isIn('stem', 'stems')} GROUP BY stem`,
        { ns, stems },
      );
      return new Map(rows.map((row) => [String(row['stem']), Number(row['n'])]));
    },
    beginningWith: (candidates) => beginningWith(sql, ns, candidates),
    containing: async (part) => {
      const rows = await sql.all(
        `SELECT word FROM term WHERE ns = :ns AND passages > 0 AND word LIKE :pattern AND position(:part IN word) > ${String(MIN_PREFIX)}
         ORDER BY word LIMIT :limit`,
        { ns, part, pattern: `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`, limit: MAX_COMPARED },
      );
      return rows.map((row) => String(row['word']));
    },
    near: async (word) => {
      const edits = allowedEdits(word.length);
      const [shortest, longest] = [word.length - edits, word.length + edits];
      const key = [ns, state, shortest, longest].join(' ');
      const known = remembered.lists.get(key);
      if (known !== undefined) return known.near(word, deadline);
      const list = await sql.within(deadline, () => wordsOfLength(sql, ns, shortest, longest));
      if (list === null) return null;
      remembered.lists.set(key, list);
      return list.near(word, deadline);
    },
  };
}

async function beginningWith(sql: Sql, ns: number, candidates: readonly Candidates[]): Promise<string[][]> {
  const rows = await sql.all(
    `SELECT each.place, t.word FROM ${sql.dialect.rows('wanted', { place: 'integer', prefix: 'text', above: 'text', longest: 'integer' })} AS each
         CROSS JOIN LATERAL (SELECT word FROM term WHERE ns = :ns AND passages > 0 AND word >= each.prefix COLLATE "C" AND word < each.above COLLATE "C"
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
}

/** What the languages of a namespace are told by, unless its state is the known one. All words only if they are few. */
async function namespaceWords(sql: Sql, ns: number, known: string): Promise<Row> {
  const row = await sql.get(
    `SELECT state, passages, CASE WHEN state <> :known THEN
         (SELECT json_agg(json_build_array(word, passages)) FROM term WHERE ns = :ns AND passages > 0 AND ${sql.dialect.isIn('word', 'markers')}) END AS markers,
       CASE WHEN state <> :known AND NOT EXISTS (SELECT 1 FROM term WHERE ns = :ns AND passages > 0 OFFSET :most) THEN
         (SELECT json_agg(json_build_array(word, passages)) FROM term WHERE ns = :ns AND passages > 0) END AS words
     FROM (SELECT text_passages AS passages, concat_ws(' ', last_change, text_passages, text_terms) AS state
       FROM namespace_state WHERE ns = :ns) AS current`,
    { ns, known, markers: MARKER_WORDS, most: MAX_SMALL_VOCABULARY },
  );
  return row ?? {};
}

/** Two values instead of rows, which would take ten times as long. No word has a space. */
async function wordsOfLength(sql: Sql, ns: number, shortest: number, longest: number): Promise<WordList> {
  const row = await sql.get(
    `SELECT string_agg(word, ' ') AS words, string_agg(passages::text, ' ') AS passages FROM (
       SELECT word, passages FROM term WHERE ns = :ns AND passages > 0 AND length BETWEEN :shortest AND :longest LIMIT :limit) AS known`,
    { ns, shortest, longest, limit: MAX_KNOWN },
  );
  const list = new WordList();
  if (typeof row?.['words'] === 'string')
    list.add(row['words'].split(' '), String(row['passages']).split(' ').map(Number));
  return list;
}

function wordsOf(json: unknown): [word: string, passages: number][] {
  return typeof json === 'string' ? (JSON.parse(json) as [string, number][]) : [];
}
