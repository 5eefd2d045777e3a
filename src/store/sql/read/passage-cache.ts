import { LRUCache } from 'lru-cache';
import { admits } from '../../rules/filter.ts';
import type { LoadedPassages, NeighbourReach, SearchFilter, StoredPassage } from '../../search-model.ts';
import { type PackedPassages, type PassageRequest, type SizedPassage, unpackPassages } from './wire.ts';

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
    const cached = epoch === null ? NO_PASSAGES : this.#cached(namespace, epoch, ids, reach !== null);
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

const NO_PASSAGES: ReadonlyMap<number, StoredPassage> = new Map();
