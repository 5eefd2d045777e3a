import { DatabaseSync } from 'node:sqlite';
import type { Embedder } from '../../src/embed/embedder.ts';
import { queryWords } from '../baselines/query-words.ts';
import type { Section } from './sections.ts';

/** The share of meaning in the score; words have the rest. */
const MEANING = 0.5;

/** A plain hybrid index of sections: cosine and BM25 (SQLite FTS5, Porter), each scaled to 0 to 1 over all sections, and added. */
export class PeerIndex {
  readonly #sections: readonly Section[];
  readonly #vectors: readonly Float32Array[];
  readonly #embedder: Embedder | null;
  readonly #database = new DatabaseSync(':memory:');

  private constructor(
    sections: readonly Section[],
    vectors: readonly Float32Array[],
    embedder: Embedder | null,
  ) {
    this.#sections = sections;
    this.#vectors = vectors;
    this.#embedder = embedder;
    this.#database.exec(
      "CREATE VIRTUAL TABLE section USING fts5(body, tokenize = 'porter unicode61'); BEGIN",
    );
    const insert = this.#database.prepare('INSERT INTO section (rowid, body) VALUES (?, ?)');
    for (const [row, section] of sections.entries()) insert.run(row, indexedText(section));
    this.#database.exec('COMMIT');
  }

  static async build(sections: readonly Section[], embedder: Embedder | null): Promise<PeerIndex> {
    const vectors = (await embedder?.embed(sections.map(indexedText), { purpose: 'passage' })) ?? [];
    return new PeerIndex(sections, vectors, embedder);
  }

  /** All sections, best first. */
  async rank(query: string): Promise<Section[]> {
    const meaning = scaled(await this.#cosines(query));
    const words = scaled(this.#bm25(query));
    const scores = this.#sections.map((_, i) => MEANING * meaning[i]! + (1 - MEANING) * words[i]!);
    return this.#sections
      .map((section, i) => ({ section, score: scores[i]! }))
      .sort((a, b) => b.score - a.score)
      .map(({ section }) => section);
  }

  async #cosines(query: string): Promise<number[]> {
    if (this.#embedder === null) return this.#sections.map(() => 0);
    const [vector] = await this.#embedder.embed([query], { purpose: 'query' });
    return this.#vectors.map(
      (other) => dot(vector!, other) / Math.sqrt(dot(vector!, vector!) * dot(other, other)),
    );
  }

  #bm25(query: string): number[] {
    const scores = this.#sections.map(() => 0);
    const words = queryWords(query).map((word) => `"${word}"`);
    if (words.length === 0) return scores;
    const select = 'SELECT rowid AS row, bm25(section) AS score FROM section WHERE section MATCH ?';
    for (const { row, score } of this.#database.prepare(select).all(words.join(' OR ')))
      scores[Number(row)] = -Number(score);
    return scores;
  }
}

/** The name of the note, the headings and the text. */
function indexedText({ path, headings, text }: Section): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  return [...new Set([name, ...headings]), text].join('\n');
}

function scaled(scores: readonly number[]): number[] {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  return scores.map((score) => (high === low ? 0 : (score - low) / (high - low)));
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
