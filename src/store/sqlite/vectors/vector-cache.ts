import type { Database } from '../database/database.ts';
import { VectorSlots } from './vector-slots.ts';

export interface VectorScore {
  readonly vector: number;
  readonly score: number;
}

/** Quantised vectors by id. An entry is always current: a vector never changes, and ids are never reused. */
export class VectorCache {
  readonly #db: Database;
  /** By the length of the vectors, since a store may have several models. */
  readonly #slots = new Map<number, VectorSlots>();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Dot products of vectors with the query, best first, ties by id.
   *
   * @param ids vectors of the length of the query; those that are gone are left out
   */
  scores(ids: readonly number[], query: Float32Array): VectorScore[] {
    const slots = this.#slotsFor(query.length);
    const scores: VectorScore[] = [];
    for (let start = 0; start < ids.length; start += slots.capacity) {
      const present = this.#load(slots, ids.slice(start, start + slots.capacity));
      const products = slots.dots(present, query);
      for (const [i, vector] of present.entries()) scores.push({ vector, score: products[i]! });
    }
    return scores.sort((a, b) => b.score - a.score || a.vector - b.vector);
  }

  #slotsFor(dimensions: number): VectorSlots {
    const found = this.#slots.get(dimensions) ?? new VectorSlots(dimensions);
    this.#slots.set(dimensions, found);
    return found;
  }

  /** The ids that have a vector, all of which are in the slots afterwards. */
  #load(slots: VectorSlots, ids: readonly number[]): readonly number[] {
    const missing = ids.filter((id) => !slots.has(id));
    if (missing.length === 0) return ids;
    const rows = this.#db
      .prepare('SELECT id, quantised FROM embedding WHERE id IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(missing));
    const kept = new Set(ids);
    for (const row of rows) slots.set(row['id'] as number, row['quantised'] as Uint8Array, kept);
    return rows.length === missing.length ? ids : ids.filter((id) => slots.has(id));
  }
}
