import type { Database } from './database.ts';
import { dotQuantised } from './quantise.ts';

/** Quantised vectors that stay in memory, some 600 bytes each; the one that came first goes first. */
const MAX_HELD = 20_000;

export interface VectorScore {
  readonly vector: number;
  readonly score: number;
}

/** What was read once stays true: a vector never changes, and no id is given twice. */
export class VectorCache {
  readonly #db: Database;
  readonly #held = new Map<number, Uint8Array>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Dot products of vectors with the query, best first, the older vector first of equals. */
  scores(ids: readonly number[], query: Float32Array): VectorScore[] {
    this.#load(ids.filter((id) => !this.#held.has(id)));
    const scores: VectorScore[] = [];
    for (const id of ids) {
      const quantised = this.#held.get(id);
      if (quantised !== undefined) scores.push({ vector: id, score: dotQuantised(quantised, query) });
    }
    this.#makeRoom();
    return scores.sort((a, b) => b.score - a.score || a.vector - b.vector);
  }

  #load(ids: readonly number[]): void {
    if (ids.length === 0) return;
    const rows = this.#db
      .prepare('SELECT id, quantised FROM vector WHERE id IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(ids));
    for (const row of rows) this.#held.set(row['id'] as number, row['quantised'] as Uint8Array);
  }

  #makeRoom(): void {
    for (const id of this.#held.keys()) {
      if (this.#held.size <= MAX_HELD) return;
      this.#held.delete(id);
    }
  }
}
