import { LRUCache } from 'lru-cache';
import { admits } from '../../rules/filter.ts';
import type { LoadedPassages, NeighbourReach, SearchFilter, StoredPassage } from '../../search-model.ts';
import { type PackedPassages, type PassageRequest, unpackPassages } from './wire.ts';

/** Passages in memory, one to two kilobytes each. */
const MAX_PASSAGES = 12_000;
const MAX_NAMESPACES = 1000;

type Read = (namespace: string, request: PassageRequest) => Promise<PackedPassages>;

/** Caches passages on the caller's thread, because many searches have the same best passages. */
export class PassageCache {
  readonly #read: Read;
  /** By namespace, its epoch and the passage's id. */
  readonly #passages = new LRUCache<string, StoredPassage>({ max: MAX_PASSAGES });
  /** The last epoch of each namespace that was read. */
  readonly #epochs = new LRUCache<string, number>({ max: MAX_NAMESPACES });
  /** The neighbours that a passage had when it was last read. They may be outdated, and only select cached passages. */
  readonly #neighbours = new LRUCache<string, readonly number[]>({ max: MAX_PASSAGES });

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
    for (const passage of unpackPassages(namespace, answer)) {
      passages.set(passage.id, passage);
      this.#passages.set(passageKey(namespace, answer.epoch, passage.id), passage);
    }
    this.#epochs.set(namespace, answer.epoch);
    const near = new Set<number>();
    for (const { passage, before, after } of neighbourhoods) {
      this.#neighbours.set(neighbourKey(namespace, passage), [...before, ...after]);
      for (const id of [...before, ...after]) near.add(id);
    }
    for (const id of ids) near.delete(id);
    const found = [...ids, ...near].flatMap((id) => passages.get(id) ?? []);
    return { passages: found.filter(({ record }) => admits(record, filter)), neighbourhoods };
  }

  #cached(
    namespace: string,
    epoch: number,
    ids: readonly number[],
    withNeighbours: boolean,
  ): ReadonlyMap<number, StoredPassage> {
    const neighbours = withNeighbours
      ? ids.flatMap((id) => this.#neighbours.get(neighbourKey(namespace, id)) ?? [])
      : [];
    const cached = new Map<number, StoredPassage>();
    for (const id of [...ids, ...neighbours]) {
      const passage = this.#passages.get(passageKey(namespace, epoch, id));
      if (passage !== undefined) cached.set(id, passage);
    }
    return cached;
  }
}

const NO_PASSAGES: ReadonlyMap<number, StoredPassage> = new Map();

function passageKey(namespace: string, epoch: number, id: number): string {
  return `${String(id)} ${String(epoch)} ${namespace}`;
}

function neighbourKey(namespace: string, id: number): string {
  return `${String(id)} ${namespace}`;
}
