import { admits } from '../rules/filter.ts';
import type { SearchFilter, StoredPassage } from '../search-model.ts';
import { type PackedPassages, type PassageRequest, unpackPassages } from './wire.ts';

/** Passages that stay in memory, one to two kilobytes each; those that came first go first. */
const MAX_HELD = 12_000;

interface Held {
  readonly epoch: number;
  readonly passages: Map<number, StoredPassage>;
}

type Read = (namespace: string, request: PassageRequest) => Promise<PackedPassages>;

/** Passages that were read once, on this side of the thread: the same ones are the best of many a search. */
export class PassageCache {
  readonly #read: Read;
  readonly #namespaces = new Map<string, Held>();

  constructor(read: Read) {
    this.#read = read;
  }

  /** Each answer is of one state: what is held counts only if nothing has changed since it was read. */
  async passages(namespace: string, ids: readonly number[], filter: SearchFilter): Promise<StoredPassage[]> {
    const held = this.#namespaces.get(namespace);
    // What is let go of meanwhile is still at hand here.
    const known = ids.map((id) => held?.passages.get(id));
    const missing = ids.filter((_, i) => known[i] === undefined);
    const answer = await this.#read(namespace, { ids, missing, epoch: held?.epoch ?? null });
    const read = new Map(unpackPassages(namespace, answer).map((passage) => [passage.id, passage]));
    this.#keep(namespace, answer.epoch, read);
    return ids.flatMap((id, i) => {
      const passage = read.get(id) ?? (answer.isCurrent ? known[i] : undefined);
      return passage === undefined || !admits(passage.record, filter) ? [] : [passage];
    });
  }

  #keep(namespace: string, epoch: number, read: ReadonlyMap<number, StoredPassage>): void {
    const held = this.#namespaces.get(namespace);
    const passages = held?.epoch === epoch ? held.passages : new Map<number, StoredPassage>();
    for (const [id, passage] of read) passages.set(id, passage);
    // The last in the map is the one used last.
    this.#namespaces.delete(namespace);
    if (passages.size > 0) this.#namespaces.set(namespace, { epoch, passages });
    this.#makeRoom();
  }

  /** Of the namespace that was asked longest ago first. */
  #makeRoom(): void {
    let held = 0;
    for (const { passages } of this.#namespaces.values()) held += passages.size;
    for (const [namespace, { passages }] of this.#namespaces) {
      for (const id of passages.keys()) {
        if (held <= MAX_HELD) return;
        passages.delete(id);
        held--;
      }
      if (passages.size === 0) this.#namespaces.delete(namespace);
    }
  }
}
