import type { Database } from './database.ts';
import { CODE_BYTES, SignCodes, signCode } from './sign-codes.ts';
import { components } from './quantise.ts';

/** Vectors whose codes stay in memory, some 60 bytes each; the least recently used namespace goes first. */
const MAX_HELD = 1_250_000;
/** What a namespace counts for at least: its memory has room to grow. */
const MIN_COUNTED = 1024;

interface Loaded {
  readonly codes: SignCodes;
  readonly epoch: number;
}

/** Sign codes by namespace and generation: loaded at first use, caught up when any process has written. */
export class CodeCache {
  readonly #db: Database;
  readonly #loaded = new Map<string, Loaded>();
  readonly #fresh = new Set<string>();
  #dataVersion = -1;

  constructor(db: Database) {
    this.#db = db;
  }

  of(ns: number, generation: number): SignCodes {
    const name = `${String(ns)}/${String(generation)}`;
    // Grows whenever another connection has committed.
    const version = Number(this.#db.prepare('PRAGMA data_version').get()?.['data_version']);
    if (version !== this.#dataVersion) {
      this.#dataVersion = version;
      this.#fresh.clear();
    }
    const held = this.#loaded.get(name);
    if (held !== undefined && this.#fresh.has(name)) {
      this.#markUsed(name, held);
      return held.codes;
    }
    return this.#db.snapshot(() => this.#refresh(name, ns, generation, held));
  }

  #refresh(name: string, ns: number, generation: number, held: Loaded | undefined): SignCodes {
    const epoch = Number(this.#db.prepare('SELECT epoch FROM vector_epoch').get()?.['epoch']);
    const codes = held?.epoch === epoch ? held.codes : this.#load(ns, generation);
    this.#catchUp(codes, ns, generation);
    this.#markUsed(name, { codes, epoch });
    this.#fresh.add(name);
    this.#makeRoom(name);
    return codes;
  }

  /** The last in the map is the one used last. */
  #markUsed(name: string, loaded: Loaded): void {
    this.#loaded.delete(name);
    this.#loaded.set(name, loaded);
  }

  /** The one just asked for stays, whatever its size. */
  #makeRoom(kept: string): void {
    let held = 0;
    for (const { codes } of this.#loaded.values()) held += MIN_COUNTED + codes.size;
    for (const [oldest, { codes }] of this.#loaded) {
      if (held <= MAX_HELD || oldest === kept) return;
      this.#loaded.delete(oldest);
      this.#fresh.delete(oldest);
      held -= MIN_COUNTED + codes.size;
    }
  }

  #load(ns: number, generation: number): SignCodes {
    const count = this.#db.prepare(
      'SELECT total(length(vectors)) / 4 AS n FROM code_chunk WHERE ns = ? AND generation = ?',
    );
    const codes = new SignCodes(Number(count.get(ns, generation)?.['n']));
    const chunks = this.#db.prepare(
      'SELECT vectors, codes FROM code_chunk WHERE ns = ? AND generation = ? ORDER BY last_vector',
    );
    for (const row of chunks.iterate(ns, generation)) {
      const ids = (row['vectors'] as Uint8Array).slice();
      codes.append(new Uint32Array(ids.buffer), row['codes'] as Uint8Array);
    }
    return codes;
  }

  /** Vectors newer than the newest known one. */
  #catchUp(codes: SignCodes, ns: number, generation: number): void {
    const newer = this.#db.prepare(
      'SELECT id, quantised FROM vector WHERE ns = ? AND generation = ? AND id > ? ORDER BY id',
    );
    const rows = newer.all(ns, generation, codes.lastVector);
    const ids = Uint32Array.from(rows, (row) => Number(row['id']));
    const bytes = new Uint8Array(rows.length * CODE_BYTES);
    for (const [i, row] of rows.entries()) {
      bytes.set(signCode(components(row['quantised'] as Uint8Array)), i * CODE_BYTES);
    }
    codes.append(ids, bytes);
  }
}
