import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
import { dotQuantised } from './quantise.ts';

/** Quantised vectors in memory, about 600 bytes each. The number is above the longest shortlist. */
const MAX_VECTORS = 20_000;

export interface VectorScore {
  readonly vector: number;
  readonly score: number;
}

/** Quantised vectors by id. An entry is always current: a vector never changes, and ids are never reused. */
export class VectorCache {
  readonly #db: Database;
  readonly #vectors = new LRUCache<number, Uint8Array>({ max: MAX_VECTORS });

  constructor(db: Database) {
    this.#db = db;
  }

  /** Dot products of vectors with the query, best first, ties by id. */
  scores(ids: readonly number[], query: Float32Array): VectorScore[] {
    this.#load(ids.filter((id) => !this.#vectors.has(id)));
    const scores: VectorScore[] = [];
    for (const id of ids) {
      const quantised = this.#vectors.get(id);
      if (quantised !== undefined) scores.push({ vector: id, score: dotQuantised(quantised, query) });
    }
    return scores.sort((a, b) => b.score - a.score || a.vector - b.vector);
  }

  #load(ids: readonly number[]): void {
    if (ids.length === 0) return;
    const rows = this.#db
      .prepare('SELECT id, quantised FROM vector WHERE id IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(ids));
    for (const row of rows) this.#vectors.set(row['id'] as number, row['quantised'] as Uint8Array);
  }
}
