/** What one more step of a candidate adds to a pack, and costs: its excerpt, then the whole passage. */
export interface Step {
  readonly tokens: number;
  /** The terms of the query that the step shows. */
  readonly queryTerms: ReadonlySet<string>;
  /** All words that say what the step is about. */
  readonly words: ReadonlySet<string>;
  /** The share of the candidate's relevance that the step is worth. The shares of a candidate fall. */
  readonly share: number;
}

/** A part of the tokens of first steps that is paid once for all candidates with the same key. */
export interface SharedCost {
  readonly key: string;
  readonly tokens: number;
}

export interface Selectable {
  /** 0 to 1. */
  readonly relevance: number;
  /** Whether it is taken before all others, if it fits. */
  readonly isCertain: boolean;
  readonly shared: SharedCost | null;
  readonly steps: readonly Step[];
}

export interface SelectionWeights {
  /** Weight of a term of the query, relative to the relevance of one candidate. */
  readonly coverage: number;
  /** The share of a candidate's relevance that counts only for words that no other candidate in the pack has. 0 to 1. */
  readonly novelty: number;
}

/** How many steps of each candidate are in the pack, and what the first of them was worth. */
export interface Selection {
  readonly taken: readonly number[];
  /** The value of each candidate's first step when it was taken; 0 for others. */
  readonly gains: readonly number[];
  /** The tokens of all steps. */
  readonly spent: number;
}

/**
 * Chooses the steps of most value within a budget. The value of a pack is the relevance of its candidates, of which a part counts once
 * for each word (`novelty`), and for each term of the query its weight times the highest relevance of a candidate that has it. Each
 * summand is a modular function or a maximum (facility location), so that the value is monotone and submodular.
 *
 * Takes the step of the highest gain per token that still fits, again and again; the result is the better one of that pack and the best
 * single candidate. Its value is at least ½ (1 − 1/e) ≈ 0.32 of that of the best pack: Leskovec et al. 2007, "Cost-effective Outbreak
 * Detection in Networks", theorem 3; Lin & Bilmes 2010 have the same greedy rule for summaries. (Later steps of a candidate may only
 * follow the first: for them, and after a candidate that is certain, the bound holds for what is left of the budget. Shared costs only
 * make steps cheaper than the proof assumes: the best pack of the bound is the one whose candidates all pay in full.)
 *
 * @param termWeights of the terms of the query, with a sum of 1
 */
export function select(
  candidates: readonly Selectable[],
  budget: number,
  termWeights: ReadonlyMap<string, number>,
  weights: SelectionWeights,
): Selection {
  const pack = new GrowingPack(candidates, termWeights, weights);
  for (const [index, { isCertain }] of candidates.entries())
    if (isCertain && pack.cost(index) <= budget - pack.spent) pack.take(index);
  for (;;) {
    const best = bestStep(pack, candidates.length, budget - pack.spent);
    if (best === null) break;
    pack.take(best);
  }
  const single = bestSingle(candidates, budget, termWeights, weights);
  return single !== null && single.value > pack.value ? single : pack;
}

function bestStep(pack: GrowingPack, candidates: number, left: number): number | null {
  let best: number | null = null;
  let bestRatio = 0;
  for (let index = 0; index < candidates; index++) {
    const cost = pack.cost(index);
    if (cost > left) continue;
    const ratio = pack.gain(index) / Math.max(1, cost);
    if (ratio <= bestRatio) continue;
    best = index;
    bestRatio = ratio;
  }
  return best;
}

function bestSingle(
  candidates: readonly Selectable[],
  budget: number,
  termWeights: ReadonlyMap<string, number>,
  weights: SelectionWeights,
): GrowingPack | null {
  let best: GrowingPack | null = null;
  for (const [index, { steps }] of candidates.entries()) {
    if ((steps[0]?.tokens ?? Infinity) > budget) continue;
    const alone = new GrowingPack(candidates, termWeights, weights);
    alone.take(index);
    if (best === null || alone.value > best.value) best = alone;
  }
  return best;
}

class GrowingPack implements Selection {
  readonly taken: number[];
  readonly gains: number[];
  value = 0;
  spent = 0;
  readonly #paid = new Set<string>();
  readonly #candidates: readonly Selectable[];
  readonly #termWeights: ReadonlyMap<string, number>;
  readonly #weights: SelectionWeights;
  /** The highest relevance of a taken candidate with the term of the query. */
  readonly #covered = new Map<string, number>();
  /** The highest relevance, for one of its words, of a taken candidate with the word. */
  readonly #said = new Map<string, number>();

  constructor(
    candidates: readonly Selectable[],
    termWeights: ReadonlyMap<string, number>,
    weights: SelectionWeights,
  ) {
    this.#candidates = candidates;
    this.#termWeights = termWeights;
    this.#weights = weights;
    this.taken = candidates.map(() => 0);
    this.gains = candidates.map(() => 0);
  }

  /** The next step of a candidate; `undefined` after its last. */
  next(index: number): Step | undefined {
    return this.#candidates[index]!.steps[this.taken[index]!];
  }

  /** The tokens of the next step; infinite after the last. */
  cost(index: number): number {
    const { shared } = this.#candidates[index]!;
    const tokens = this.next(index)?.tokens ?? Infinity;
    const isShared = shared !== null && this.taken[index] === 0 && this.#paid.has(shared.key);
    return isShared ? tokens - shared.tokens : tokens;
  }

  gain(index: number): number {
    const step = this.next(index)!;
    const { relevance } = this.#candidates[index]!;
    const { coverage, novelty } = this.#weights;
    const worth = relevance * step.share;
    let value = worth * (1 - novelty);
    const perWord = worth / Math.max(1, step.words.size);
    for (const word of step.words) value += novelty * Math.max(0, perWord - (this.#said.get(word) ?? 0));
    for (const term of step.queryTerms) {
      const weight = this.#termWeights.get(term) ?? 0;
      value += coverage * weight * Math.max(0, relevance - (this.#covered.get(term) ?? 0));
    }
    return value;
  }

  take(index: number): void {
    const step = this.next(index)!;
    const gain = this.gain(index);
    const { relevance, shared } = this.#candidates[index]!;
    this.spent += this.cost(index);
    if (shared !== null) this.#paid.add(shared.key);
    const perWord = (relevance * step.share) / Math.max(1, step.words.size);
    for (const word of step.words) raise(this.#said, word, perWord);
    for (const term of step.queryTerms) raise(this.#covered, term, relevance);
    if (this.taken[index] === 0) this.gains[index] = gain;
    this.taken[index]!++;
    this.value += gain;
  }
}

function raise(values: Map<string, number>, key: string, value: number): void {
  if (value > (values.get(key) ?? 0)) values.set(key, value);
}
