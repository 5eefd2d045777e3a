import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
import { components } from './quantise.ts';
import { CODE_BYTES, SignCodes, signCode } from './sign-codes.ts';

/** Bytes of the codes in memory, of all namespaces together. */
const MAX_BYTES = 75_000_000;
/** A code, its id, and the memory in which the kernel compares it. */
const BYTES_PER_CODE = 60;
/** The size of an entry in addition to its codes, because its memory has spare capacity. */
const BASE_BYTES = 60_000;

interface Loaded {
  readonly codes: SignCodes;
  readonly epoch: number;
}

/** Sign codes by namespace and generation. They are loaded at first use, and refreshed after any process has written. */
export class CodeCache {
  readonly #db: Database;
  readonly #loaded = new LRUCache<string, Loaded>({
    maxSize: MAX_BYTES,
    // At most the whole cache, so that a huge namespace is cached alone.
    sizeCalculation: ({ codes }) => Math.min(MAX_BYTES, BASE_BYTES + codes.size * BYTES_PER_CODE),
  });
  /** The entries that are current as of `#dataVersion`. */
  readonly #current = new Set<string>();
  #dataVersion = -1;

  constructor(db: Database) {
    this.#db = db;
  }

  get(ns: number, generation: number): SignCodes {
    const name = `${String(ns)}/${String(generation)}`;
    // SQLite changes this number when another connection has committed.
    const version = Number(this.#db.prepare('PRAGMA data_version').get()?.['data_version']);
    if (version !== this.#dataVersion) {
      this.#dataVersion = version;
      this.#current.clear();
    }
    const loaded = this.#loaded.get(name);
    if (loaded !== undefined && this.#current.has(name)) return loaded.codes;
    return this.#db.snapshot(() => this.#refresh(name, ns, generation, loaded));
  }

  #refresh(name: string, ns: number, generation: number, loaded: Loaded | undefined): SignCodes {
    const epoch = Number(this.#db.prepare('SELECT epoch FROM vector_epoch').get()?.['epoch']);
    const codes = loaded?.epoch === epoch ? loaded.codes : this.#load(ns, generation);
    this.#appendNew(codes, ns, generation);
    this.#loaded.set(name, { codes, epoch });
    this.#current.add(name);
    return codes;
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

  /** Adds the codes of vectors that were written since the last refresh. */
  #appendNew(codes: SignCodes, ns: number, generation: number): void {
    const newer = this.#db.prepare(
      'SELECT id, quantised FROM embedding WHERE ns = ? AND generation = ? AND id > ? ORDER BY id',
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
