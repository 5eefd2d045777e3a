import { admits } from '../admits.ts';
import type { SearchFilter, StoredPassage } from '../store.ts';
import { type AskedPassages, type PackedPassages, unpackPassages } from './wire.ts';

/** Passages that stay in memory, one to two kilobytes each; the least recently used go first. */
const MAX_HELD = 8000;

interface Held {
  readonly epoch: number;
  /** The last in the map is the one used last. */
  readonly passages: Map<number, StoredPassage>;
}

type Read = (namespace: string, asked: AskedPassages) => Promise<PackedPassages>;

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
    const known = new Map(
      ids.flatMap((id) => {
        const passage = held?.passages.get(id);
        return passage === undefined ? [] : [[id, passage] as const];
      }),
    );
    const answer = await this.#read(namespace, {
      ids,
      known: held === undefined ? null : { epoch: held.epoch, ids: [...known.keys()] },
    });
    const read = unpackPassages(namespace, answer);
    const found = new Map(answer.isKnown ? known : []);
    for (const passage of read) found.set(passage.id, passage);
    this.#keep(namespace, answer.epoch, found);
    return ids.flatMap((id) => {
      const passage = found.get(id);
      return passage === undefined || !admits(passage.record, filter) ? [] : [passage];
    });
  }

  #keep(namespace: string, epoch: number, found: ReadonlyMap<number, StoredPassage>): void {
    const held = this.#namespaces.get(namespace);
    const { passages } = held?.epoch === epoch ? held : { passages: new Map<number, StoredPassage>() };
    for (const [id, passage] of found) {
      passages.delete(id);
      passages.set(id, passage);
    }
    this.#namespaces.delete(namespace);
    this.#namespaces.set(namespace, { epoch, passages });
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
