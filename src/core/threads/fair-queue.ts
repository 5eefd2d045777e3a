/** A queue that takes the owners of its items in turn. The items of one owner keep their order. */
export class FairQueue<Item> {
  /** The items of each owner, in the order in which the owners have their turn. */
  readonly #items = new Map<string, Item[]>();
  #lastOwner = '';

  get size(): number {
    return [...this.#items.values()].reduce((sum, { length }) => sum + length, 0);
  }

  push(owner: string, item: Item): void {
    const items = this.#items.get(owner);
    if (items === undefined) this.#items.set(owner, [item]);
    else items.push(item);
  }

  /** Removes and returns the next item; `undefined` if there is none. */
  shift(): Item | undefined {
    this.#moveToEnd(this.#lastOwner);
    for (const [owner, items] of this.#items) {
      const item = items.shift();
      if (items.length === 0) this.#items.delete(owner);
      this.#lastOwner = owner;
      return item;
    }
    return undefined;
  }

  /** Removes an item that is still waiting. */
  remove(owner: string, item: Item): void {
    const items = this.#items.get(owner);
    const index = items?.indexOf(item) ?? -1;
    if (items === undefined || index === -1) return;
    items.splice(index, 1);
    if (items.length === 0) this.#items.delete(owner);
  }

  /** Also behind owners whose first item came since its last turn. */
  #moveToEnd(owner: string): void {
    const items = this.#items.get(owner);
    if (items === undefined) return;
    this.#items.delete(owner);
    this.#items.set(owner, items);
  }
}
