import { createRandom, type Random } from './random.ts';
import { VectorModel } from './vector-model.ts';
import { COMMON_WORDS, makeWords, misspell } from './words.ts';

/** A document of the synthetic corpus. It becomes a record with one passage. */
export interface Document {
  readonly namespace: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly vector: Float32Array;
}

export interface BenchQuery {
  readonly namespace: string;
  readonly text: string;
  readonly vector: Float32Array;
}

/** The time of every search, so that a store filled yesterday returns the same results today. */
export const NOW: number = Date.UTC(2026, 0, 1);

const VOCABULARY_SIZE = 40_000;
const TOPIC_COUNT = 2000;
const WORDS_PER_TOPIC = 400;
const TOPICS_PER_NAMESPACE = 40;
const MAX_AGE_MS = 2 * 365 * 86_400_000;
/** Queries are about the first documents of a corpus, so that corpora of every size get the same queries. */
const QUERIED_DOCUMENTS = 10_000;

interface Source {
  readonly topic: number;
  readonly latent: Float32Array;
  readonly document: Document;
}

/** Generates texts with Zipfian words about clustered topics, in namespaces of Zipfian size, and queries about some of them. */
export class Corpus {
  readonly #random: Random = createRandom(1);
  readonly #words: readonly string[] = makeWords(this.#random, VOCABULARY_SIZE);
  readonly #model: VectorModel = new VectorModel(this.#random, TOPIC_COUNT);
  readonly #topicWords: readonly (readonly string[])[];
  readonly #namespaceTopics: readonly (readonly number[])[];
  readonly #draw: Readonly<
    Record<'word' | 'common' | 'topicWord' | 'topic' | 'tag' | 'namespace', () => number>
  >;
  readonly #sources: Source[] = [];

  constructor(namespaces: number) {
    const random = this.#random;
    this.#topicWords = Array.from({ length: TOPIC_COUNT }, () =>
      Array.from({ length: WORDS_PER_TOPIC }, () => this.#words[200 + random.below(VOCABULARY_SIZE - 200)]!),
    );
    this.#namespaceTopics = Array.from({ length: namespaces }, () =>
      Array.from({ length: TOPICS_PER_NAMESPACE }, () => random.below(TOPIC_COUNT)),
    );
    this.#draw = {
      word: random.zipf(VOCABULARY_SIZE, 1, 60),
      common: random.zipf(COMMON_WORDS.length, 0.7),
      topicWord: random.zipf(WORDS_PER_TOPIC, 0.9),
      topic: random.zipf(TOPIC_COUNT, 0.6),
      tag: random.zipf(1500, 0.9),
      namespace: random.zipf(namespaces, 1),
    };
  }

  *documents(count: number): Generator<Document> {
    for (let i = 0; i < count; i++) {
      const source = this.#make();
      if (i < Math.min(count, QUERIED_DOCUMENTS) && this.#random.uniform() < 0.1) this.#sources.push(source);
      yield source.document;
    }
  }

  /** Queries about the documents generated before: keywords, a sentence and misspelt words in turn. */
  queries(count: number): BenchQuery[] {
    return Array.from({ length: count }, (_, i) => {
      const {
        topic,
        latent: documentLatent,
        document,
      } = this.#sources[this.#random.below(this.#sources.length)]!;
      const latent = i % 2 === 0 ? this.#model.similarTo(documentLatent) : this.#model.latent();
      return {
        namespace: document.namespace,
        text: this.#question(i % 3, document),
        vector: this.#model.vector(topic, latent),
      };
    });
  }

  #make(): Source {
    const random = this.#random;
    const namespace = this.#draw.namespace();
    const namespaceTopics = this.#namespaceTopics[namespace]!;
    const topic =
      random.uniform() < 0.5 ? namespaceTopics[random.below(namespaceTopics.length)]! : this.#draw.topic();
    const latent = this.#model.latent();
    const document: Document = {
      namespace: `bench-${String(namespace)}`,
      title: this.#list(3 + random.below(6), () => this.#contentWord(topic)).join(' '),
      body: this.#list(30 + random.below(91), () => this.#anyWord(topic)).join(' '),
      tags: this.#list(
        1 + random.below(4),
        () => this.#words[(this.#draw.tag() * 7 + 13) % VOCABULARY_SIZE]!,
      ),
      createdAt: Math.floor(NOW - random.uniform() * random.uniform() * MAX_AGE_MS),
      vector: this.#model.vector(topic, latent),
    };
    return { topic, latent, document };
  }

  #question(kind: number, document: Document): string {
    const contentWords = document.body
      .split(' ')
      .filter((word) => /^[a-z]{4,}$/.test(word) && !COMMON_WORDS.includes(word));
    const keywords = this.#list(
      2 + this.#random.below(3),
      () => contentWords[this.#random.below(contentWords.length)]!,
    );
    const title = document.title.split(' ');
    if (kind === 0) return keywords.join(' ');
    if (kind === 1) return ['what', 'is', 'the', ...keywords, 'of', title[0]!].join(' ');
    return [misspell(this.#random, title.at(-1)!), title[0]!, keywords[0]!].join(' ');
  }

  #contentWord(topic: number): string {
    return this.#random.uniform() < 0.5 ? this.#topicWord(topic) : this.#words[this.#draw.word()]!;
  }

  #anyWord(topic: number): string {
    const kind = this.#random.uniform();
    if (kind < 0.35) return COMMON_WORDS[this.#draw.common()]!;
    if (kind < 0.7) return this.#words[this.#draw.word()]!;
    if (kind < 0.97) return this.#topicWord(topic);
    const [one, other] = [this.#words[this.#draw.word()]!, this.#topicWord(topic)];
    return [`${one}_${other}`, `src/${one}/${other}.ts`, `${one}.${other}()`][this.#random.below(3)]!;
  }

  #topicWord(topic: number): string {
    return this.#topicWords[topic]![this.#draw.topicWord()]!;
  }

  #list(length: number, make: () => string): string[] {
    return Array.from({ length }, make);
  }
}
