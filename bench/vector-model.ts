import type { Random } from './random.ts';

export const DIMENSIONS = 384;
const LATENT = 64;
const SUBJECTS = 50;
/** Shares of the variance: common to all texts, subject, topic, single text, noise. */
const SHARES = { all: 0.1, subject: 0.2, topic: 0.3, own: 0.25, noise: 0.15 };

/**
 * Unit vectors that cluster as those of a sentence model do: by subject, by topic within a subject, and by text, in 64
 * directions of decreasing variance, with noise in all 384.
 */
export class VectorModel {
  readonly #random: Random;
  readonly #directions: Float32Array;
  readonly #spread = new Float32Array(LATENT);
  readonly #all: Float32Array;
  readonly #topics: readonly { readonly own: Float32Array; readonly subject: Float32Array }[];

  constructor(random: Random, topics: number) {
    this.#random = random;
    this.#directions = Float32Array.from(
      { length: DIMENSIONS * LATENT },
      () => random.gauss() / Math.sqrt(DIMENSIONS),
    );
    let sum = 0;
    for (let i = 0; i < LATENT; i++) sum += 1 / (i + 1);
    for (let i = 0; i < LATENT; i++) this.#spread[i] = Math.sqrt(1 / (i + 1) / sum);
    this.#all = this.latent();
    const subjects = Array.from({ length: SUBJECTS }, () => this.latent());
    this.#topics = Array.from({ length: topics }, () => ({
      own: this.latent(),
      subject: subjects[random.below(SUBJECTS)]!,
    }));
  }

  /** The part that belongs to a single text. */
  latent(): Float32Array {
    return this.#spread.map((deviation) => this.#random.gauss() * deviation);
  }

  /** A part of another text that is near this one (correlation 0.85). */
  near(own: Float32Array): Float32Array {
    return this.latent().map((value, i) => 0.85 * own[i]! + Math.sqrt(1 - 0.85 ** 2) * value);
  }

  vector(topic: number, own: Float32Array): Float32Array {
    const { own: topicPart, subject } = this.#topics[topic]!;
    const mix = new Float32Array(LATENT);
    for (let i = 0; i < LATENT; i++) {
      mix[i] =
        Math.sqrt(SHARES.all) * this.#all[i]! +
        Math.sqrt(SHARES.subject) * subject[i]! +
        Math.sqrt(SHARES.topic) * topicPart[i]! +
        Math.sqrt(SHARES.own) * own[i]!;
    }
    const vector = new Float32Array(DIMENSIONS);
    const noise = Math.sqrt(SHARES.noise / DIMENSIONS);
    let square = 0;
    for (let d = 0; d < DIMENSIONS; d++) {
      let value = noise * this.#random.gauss();
      for (let i = 0; i < LATENT; i++) value += this.#directions[d * LATENT + i]! * mix[i]!;
      vector[d] = value;
      square += value * value;
    }
    const scale = 1 / Math.sqrt(square);
    return vector.map((value) => value * scale);
  }
}
