import type { Arrow, ArrowSchema, ArrowTable } from './package.ts';

/** A passage, as a row. Only the first passage of a note has what concerns the note: the texts of others are empty. */
export interface PassageRow {
  /** The note, `/`, and its number in the note, from 0. */
  readonly id: string;
  /** A hash of the folder and the path. */
  readonly note: string;
  /** A hash of the real path of the pool's folder. */
  readonly folder: string;
  readonly path: string;
  readonly revision: string;
  readonly title: string;
  /** JSON. */
  readonly frontMatter: string;
  readonly words: string;
  readonly textStart: number;
  readonly textEnd: number;
  readonly startLine: number;
  readonly endLine: number;
  /** Of what is embedded. */
  readonly hash: string;
}

/** Vectors by the hash of what was embedded. */
export type Vectors = ReadonlyMap<string, Float32Array>;

const TEXTS = [
  ...(['id', 'note', 'folder', 'path', 'revision', 'title', 'frontMatter'] as const),
  ...(['words', 'hash'] as const),
];
const NUMBERS = ['textStart', 'textEnd', 'startLine', 'endLine'] as const;
const VECTOR = 'vector';

/** Makes tables of Arrow of passages. LanceDB makes them of objects too, but that blocks the event loop four times as long. */
export class ArrowRows {
  readonly schema: ArrowSchema;
  /** Of the vectors; `null` for a table without any. */
  readonly dimensions: number | null;
  readonly #arrow: Arrow;

  constructor(arrow: Arrow, dimensions: number | null) {
    this.#arrow = arrow;
    this.dimensions = dimensions;
    const { Schema, Field, Utf8, Int32, Float32, FixedSizeList } = arrow;
    const vector = (length: number): object =>
      new Field(VECTOR, new FixedSizeList(length, new Field('item', new Float32(), true)), true);
    this.schema = new Schema([
      ...TEXTS.map((name) => new Field(name, new Utf8(), false)),
      ...NUMBERS.map((name) => new Field(name, new Int32(), false)),
      ...(dimensions === null ? [] : [vector(dimensions)]),
    ]);
  }

  /** Passages without vectors, which `vectors` adds. */
  passages(rows: readonly PassageRow[]): ArrowTable {
    return this.#table(this.schema, rows.length, [
      ...TEXTS.map((name) => this.#texts(rows.map((row) => row[name]))),
      ...NUMBERS.map((name) => this.#numbers(rows.map((row) => row[name]))),
      ...(this.dimensions === null ? [] : [this.#vectors(rows, new Map())]),
    ]);
  }

  /** The id, hash and vector of passages. All of them have one. */
  vectors(passages: readonly Pick<PassageRow, 'id' | 'hash'>[], vectors: Vectors): ArrowTable {
    const names: readonly string[] = ['id', 'hash', VECTOR];
    const fields = this.schema.fields.filter(({ name }) => names.includes(name));
    return this.#table(new this.#arrow.Schema(fields), passages.length, [
      this.#texts(passages.map(({ id }) => id)),
      this.#texts(passages.map(({ hash }) => hash)),
      this.#vectors(passages, vectors),
    ]);
  }

  #texts(values: readonly string[]): object {
    const wellFormed = values.map((value) => value.toWellFormed());
    return this.#arrow.vectorFromArray(wellFormed, new this.#arrow.Utf8()).data[0];
  }

  #numbers(values: readonly number[]): object {
    return this.#arrow.makeData({ type: new this.#arrow.Int32(), data: Int32Array.from(values) });
  }

  #vectors(rows: readonly Pick<PassageRow, 'hash'>[], vectors: Vectors): object {
    const dimensions = this.dimensions!;
    const data = new Float32Array(rows.length * dimensions);
    const nullBitmap = new Uint8Array(Math.ceil(rows.length / 8));
    let nullCount = 0;
    for (const [i, { hash }] of rows.entries()) {
      const vector = vectors.get(hash);
      if (vector === undefined) nullCount++;
      else {
        data.set(vector, i * dimensions);
        nullBitmap[i >> 3]! |= 1 << (i & 7);
      }
    }
    const child = this.#arrow.makeData({ type: new this.#arrow.Float32(), data });
    const { type } = this.schema.fields.find(({ name }) => name === VECTOR)!;
    return this.#arrow.makeData({ type, length: rows.length, nullCount, nullBitmap, child });
  }

  #table(schema: ArrowSchema, length: number, children: readonly object[]): ArrowTable {
    const type = new this.#arrow.Struct(schema.fields);
    const data = this.#arrow.makeData({ type, length, nullCount: 0, children });
    return new this.#arrow.Table(new this.#arrow.RecordBatch(schema, data));
  }
}
