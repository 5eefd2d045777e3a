import { LRUCache } from 'lru-cache';
import { admits } from '../../rules/filter.ts';
import type {
  LoadedPassages,
  NeighbourReach,
  PassageScore,
  RankedList,
  Retrieved,
  SearchFilter,
  StoredPassage,
} from '../../search-model.ts';
import { headerOfList, storedPassageOf, unlessDamaged } from '../rows.ts';

/** Three numbers for each result: passage, record, score. Cloning hundreds of small objects takes longer than finding them. */
type PackedScores = Float64Array<ArrayBuffer>;

/** A request for passages by id and their neighbours. */
export interface PassageRequest {
  readonly ids: readonly number[];
  readonly reach: NeighbourReach | null;
  /** Passages that the caller's cache has, as of this epoch of the namespace. */
  readonly cached: readonly number[];
  readonly epoch: number | null;
}

/** Rows as JSON that SQLite builds. A record appears once, even if several of its passages do. */
export interface PackedPassages {
  readonly epoch: number;
  /** Whether the caller's cache is current. If it is, `passages` does not contain the cached ones. */
  readonly isCurrent: boolean;
  readonly neighbourhoods: LoadedPassages['neighbourhoods'];
  readonly passages: string;
  readonly records: string;
}

/** The result for a namespace that does not exist. */
export const NO_PASSAGES: PackedPassages = {
  epoch: 0,
  isCurrent: false,
  neighbourhoods: [],
  passages: '[]',
  records: '[]',
};

/** The place of the record in the request, record, passage, ordinal, first and last line, length, and the id of the vector. */
export type ComparedRow = readonly [
  ...position: [number, number, number, number, number, number, number],
  vector: number | null,
  cosine?: number | null,
];

/** The passages of records in no particular order: rows as JSON, and the cosine of each, `NaN` for those without a vector. */
export interface PackedComparison {
  readonly passages: string;
  readonly cosines: Float64Array<ArrayBuffer>;
}

export const NO_COMPARISON: PackedComparison = { passages: '[]', cosines: new Float64Array() };

/** The answer to a retrieval. */
export interface PackedRetrieval {
  readonly lists: readonly {
    readonly scores: PackedScores;
    readonly milliseconds: number;
    readonly isPartial: boolean;
  }[];
  readonly cosines: PackedScores;
  readonly hasAllCosines: boolean;
  readonly compared: PackedComparison;
  readonly passages: Pick<PackedPassages, 'passages' | 'records'>;
}

export function packRetrieval(
  { lists, cosines, ...rest }: Omit<Retrieved, 'passages' | 'compared'> & Pick<PackedRetrieval, 'compared'>,
  passages: PackedRetrieval['passages'],
): PackedRetrieval {
  const packed = lists.map(({ scores, ...ofList }) => ({ scores: packScores(scores), ...ofList }));
  return { lists: packed, cosines: packScores(cosines), ...rest, passages };
}

export function unpackRetrieval(
  { lists, cosines, compared, passages, ...rest }: PackedRetrieval,
  namespace: string,
): Retrieved {
  return {
    lists: lists.map(({ scores, ...ofList }): RankedList => ({ scores: unpackScores(scores), ...ofList })),
    cosines: unpackScores(cosines),
    compared: unpackComparison(compared),
    ...rest,
    passages: unpackPassages(namespace, passages).passages.map(({ passage }) => passage),
  };
}

function unpackComparison({ passages, cosines }: PackedComparison): Retrieved['compared'] {
  const compared = (JSON.parse(passages) as ComparedRow[])
    .map(([key, record, passage, ordinal, startLine, endLine, length], i) => {
      const cosine = Number.isNaN(cosines[i]) ? null : cosines[i]!;
      return { key, record, passage, ordinal, startLine, endLine, length, cosine };
    })
    .sort((a, b) => a.key - b.key || a.ordinal - b.ordinal);
  return Map.groupBy(compared, ({ record }) => record);
}

function packScores(scores: readonly PassageScore[]): PackedScores {
  const packed = new Float64Array(scores.length * 3);
  for (const [i, { passage, record, score }] of scores.entries()) packed.set([passage, record, score], i * 3);
  return packed;
}

function unpackScores(packed: PackedScores): PassageScore[] {
  return Array.from({ length: packed.length / 3 }, (_, i) => ({
    passage: packed[i * 3]!,
    record: packed[i * 3 + 1]!,
    score: packed[i * 3 + 2]!,
  }));
}

/** A passage and the memory that it takes, at most: what SQLite sent for it and for its record, and the objects. */
interface SizedPassage {
  readonly passage: StoredPassage;
  readonly bytes: number;
}

/** Bytes of the objects of a passage, of its record and of what ranking derives from them, without their texts. */
const BASE_BYTES = 1000;

/** A damaged passage, or one of a damaged record, keeps none of the others from being read. */
function unpackPassages(
  namespace: string,
  { passages, records }: Pick<PackedPassages, 'passages' | 'records'>,
): { readonly passages: readonly SizedPassage[]; readonly damaged: LoadedPassages['damaged'] } {
  const headers = new Map(
    (JSON.parse(records) as unknown[][]).map((row) => [
      row[0],
      unlessDamaged(() => ({ record: headerOfList(namespace, row), bytes: bytesOf(row) })),
    ]),
  );
  const read: SizedPassage[] = [];
  const damaged: LoadedPassages['damaged'][number][] = [];
  for (const row of JSON.parse(passages) as unknown[][]) {
    const header = headers.get(row[1]);
    if (header === undefined) continue;
    const passage = header && unlessDamaged(() => storedPassageOf(row, header.record));
    if (header === null || passage === null)
      damaged.push({ passage: Number(row[0]), record: Number(row[1]) });
    else read.push({ passage, bytes: BASE_BYTES + header.bytes + bytesOf(row) });
  }
  return { passages: read, damaged };
}

/** JavaScript stores a text with any character above U+00FF in two bytes for each. */
const BYTES_PER_CHARACTER = 2;

function bytesOf(row: readonly unknown[]): number {
  let characters = 0;
  for (const value of row) if (typeof value === 'string') characters += value.length;
  return characters * BYTES_PER_CHARACTER;
}

/** Bytes of the passages in memory, of all namespaces together: about 8,000 passages. */
const MAX_BYTES = 16_000_000;
/** Passages whose neighbours are in memory. */
const MAX_NEIGHBOURHOODS = 12_000;
const MAX_NAMESPACES = 1000;

type Read = (namespace: string, request: PassageRequest) => Promise<PackedPassages>;

/** A passage as of an epoch of its namespace. */
interface CachedPassage extends SizedPassage {
  readonly epoch: number;
}

/** Caches passages on the caller's thread, because many searches have the same best passages. */
export class PassageCache {
  readonly #read: Read;
  /** By id, which is that of one passage of one namespace. */
  readonly #passages = new LRUCache<number, CachedPassage>({
    maxSize: MAX_BYTES,
    // At most the whole cache, so that a huge passage is cached alone.
    sizeCalculation: ({ bytes }) => Math.min(MAX_BYTES, bytes),
  });
  /** The last epoch of each namespace that was read. */
  readonly #epochs = new LRUCache<string, number>({ max: MAX_NAMESPACES });
  /** The neighbours that a passage had when it was last read. They may be outdated, and only select cached passages. */
  readonly #neighbours = new LRUCache<number, readonly number[]>({ max: MAX_NEIGHBOURHOODS });

  constructor(read: Read) {
    this.#read = read;
  }

  /** Every result is that of one snapshot: cached passages are used only if nothing has changed since they were read. */
  async passages(
    namespace: string,
    ids: readonly number[],
    filter: SearchFilter,
    reach: NeighbourReach | null = null,
  ): Promise<LoadedPassages> {
    const epoch = this.#epochs.get(namespace) ?? null;
    // The passages are taken out of the cache now, because another call may evict them meanwhile.
    const cached = epoch === null ? NOTHING_CACHED : this.#cached(namespace, epoch, ids, reach !== null);
    const answer = await this.#read(namespace, { ids, reach, cached: [...cached.keys()], epoch });
    const { neighbourhoods, isCurrent } = answer;
    const passages = new Map(isCurrent ? cached : []);
    const unpacked = unpackPassages(namespace, answer);
    for (const { passage, bytes } of unpacked.passages) {
      passages.set(passage.id, passage);
      this.#passages.set(passage.id, { passage, bytes, epoch: answer.epoch });
    }
    this.#epochs.set(namespace, answer.epoch);
    const near = new Set<number>();
    for (const { passage, before, after } of neighbourhoods) {
      this.#neighbours.set(passage, [...before, ...after]);
      for (const id of [...before, ...after]) near.add(id);
    }
    for (const id of ids) near.delete(id);
    const found = [...ids, ...near].flatMap((id) => passages.get(id) ?? []);
    const admitted = found.filter(({ record }) => admits(record, filter));
    return { passages: admitted, neighbourhoods, damaged: unpacked.damaged };
  }

  #cached(
    namespace: string,
    epoch: number,
    ids: readonly number[],
    withNeighbours: boolean,
  ): ReadonlyMap<number, StoredPassage> {
    const neighbours = withNeighbours ? ids.flatMap((id) => this.#neighbours.get(id) ?? []) : [];
    const cached = new Map<number, StoredPassage>();
    for (const id of [...ids, ...neighbours]) {
      const found = this.#passages.get(id);
      // Another caller may ask for a passage that is not its own.
      if (found?.epoch === epoch && found.passage.record.namespace === namespace)
        cached.set(id, found.passage);
    }
    return cached;
  }
}

const NOTHING_CACHED: ReadonlyMap<number, StoredPassage> = new Map();
