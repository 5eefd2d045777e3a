import { LRUCache } from 'lru-cache';
import { admits } from '../../rules/filter.ts';
import type { SearchFilter, StoredPassage } from '../../search-model.ts';
import { type PackedPassages, type PassageRequest, unpackPassages } from './wire.ts';

/** Passages in memory, one to two kilobytes each. */
const MAX_PASSAGES = 12_000;
const MAX_NAMESPACES = 1000;

type Read = (namespace: string, request: PassageRequest) => Promise<PackedPassages>;

/** Passages that were read once, on this side of the thread: many searches have the same best passages. */
export class PassageCache {
  readonly #read: Read;
  /** By namespace, its epoch and the passage's id. */
  readonly #passages = new LRUCache<string, StoredPassage>({ max: MAX_PASSAGES });
  /** The last epoch of each namespace that was read. */
  readonly #epochs = new LRUCache<string, number>({ max: MAX_NAMESPACES });

  constructor(read: Read) {
    this.#read = read;
  }

  /** Each answer is of one state: cached passages count only if nothing has changed since they were read. */
  async passages(namespace: string, ids: readonly number[], filter: SearchFilter): Promise<StoredPassage[]> {
    const before = this.#epochs.get(namespace) ?? null;
    // Kept here, because another call may evict them meanwhile.
    const cached = ids.map((id) =>
      before === null ? undefined : this.#passages.get(keyOf(namespace, before, id)),
    );
    const missing = ids.filter((_, i) => cached[i] === undefined);
    const answer = await this.#read(namespace, { ids, missing, epoch: before });
    const read = new Map(unpackPassages(namespace, answer).map((passage) => [passage.id, passage]));
    for (const [id, passage] of read) this.#passages.set(keyOf(namespace, answer.epoch, id), passage);
    this.#epochs.set(namespace, answer.epoch);
    return ids.flatMap((id, i) => {
      const passage = read.get(id) ?? (answer.isCurrent ? cached[i] : undefined);
      return passage === undefined || !admits(passage.record, filter) ? [] : [passage];
    });
  }
}

function keyOf(namespace: string, epoch: number, id: number): string {
  return `${String(id)} ${String(epoch)} ${namespace}`;
}
