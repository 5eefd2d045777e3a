import type { Random } from './random.ts';

export const DIMENSIONS = 384;
const LATENT_DIMENSIONS = 64;
const SUBJECT_COUNT = 50;
/** Shares of the variance: the part common to all texts, the subject, the topic, the single text and noise. */
const VARIANCE_SHARES = { all: 0.1, subject: 0.2, topic: 0.3, text: 0.25, noise: 0.15 };

/**
 * Unit vectors that cluster as those of a sentence model do: by subject, by topic within a subject, and by text, in 64
 * directions of decreasing variance, with noise in all 384.
 */
export class VectorModel {
  readonly #random: Random;
  readonly #directions: Float32Array;
  readonly #spread = new Float32Array(LATENT_DIMENSIONS);
  readonly #all: Float32Array;
  readonly #topics: readonly { readonly topicPart: Float32Array; readonly subject: Float32Array }[];

  constructor(random: Random, topics: number) {
    this.#random = random;
    this.#directions = Float32Array.from(
      { length: DIMENSIONS * LATENT_DIMENSIONS },
      () => random.gauss() / Math.sqrt(DIMENSIONS),
    );
    let sum = 0;
    for (let i = 0; i < LATENT_DIMENSIONS; i++) sum += 1 / (i + 1);
    for (let i = 0; i < LATENT_DIMENSIONS; i++) this.#spread[i] = Math.sqrt(1 / (i + 1) / sum);
    this.#all = this.latent();
    const subjects = Array.from({ length: SUBJECT_COUNT }, () => this.latent());
    this.#topics = Array.from({ length: topics }, () => ({
      topicPart: this.latent(),
      subject: subjects[random.below(SUBJECT_COUNT)]!,
    }));
  }

  /** The part that belongs to a single text. */
  latent(): Float32Array {
    return this.#spread.map((deviation) => this.#random.gauss() * deviation);
  }

  /** The part of another text that is similar to this one (correlation 0.85). */
  similarTo(latent: Float32Array): Float32Array {
    return this.latent().map((value, i) => 0.85 * latent[i]! + Math.sqrt(1 - 0.85 ** 2) * value);
  }

  vector(topic: number, latent: Float32Array): Float32Array {
    const { topicPart, subject } = this.#topics[topic]!;
    const mix = new Float32Array(LATENT_DIMENSIONS);
    for (let i = 0; i < LATENT_DIMENSIONS; i++) {
      mix[i] =
        Math.sqrt(VARIANCE_SHARES.all) * this.#all[i]! +
        Math.sqrt(VARIANCE_SHARES.subject) * subject[i]! +
        Math.sqrt(VARIANCE_SHARES.topic) * topicPart[i]! +
        Math.sqrt(VARIANCE_SHARES.text) * latent[i]!;
    }
    const vector = new Float32Array(DIMENSIONS);
    const noise = Math.sqrt(VARIANCE_SHARES.noise / DIMENSIONS);
    let square = 0;
    for (let d = 0; d < DIMENSIONS; d++) {
      let value = noise * this.#random.gauss();
      for (let i = 0; i < LATENT_DIMENSIONS; i++)
        value += this.#directions[d * LATENT_DIMENSIONS + i]! * mix[i]!;
      vector[d] = value;
      square += value * value;
    }
    const scale = 1 / Math.sqrt(square);
    return vector.map((value) => value * scale);
  }
}
