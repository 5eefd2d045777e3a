/** Keeps the value that was made last. Calls with its key share it, also while it is being made. */
export class LatestValue<Value> {
  #latest: { readonly key: string; readonly value: Promise<Value> } | null = null;

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
