/** Keeps the value that was made last. Calls with its key share it, also while it is being made. */
export class LatestValue<Value> {
  #latest: { readonly key: string; readonly value: Promise<Value> } | null = null;

  /** The value of this key, if it is the latest. */
  peek(key: string): Promise<Value> | null {
    return this.#latest?.key === key ? this.#latest.value : null;
  }

  async get(key: string, make: () => Promise<Value>): Promise<Value> {
    if (this.#latest?.key !== key) this.#latest = { key, value: make() };
    const latest = this.#latest;
    try {
      return await latest.value;
    } catch (error) {
      if (this.#latest === latest) this.#latest = null;
      throw error;
    }
  }
}
