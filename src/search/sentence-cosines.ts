import { LociError } from '../core/errors.ts';
import { sentencesOf } from '../core/text/sentences.ts';
import type { Embedder } from '../embed/embedder.ts';
import { RefusedTextsError, type TextResult } from '../embed/embedder.ts';
import type { QueryVector, SentenceVectors, StoredPassage } from '../store/search-model.ts';
import type { Store } from '../store/store.ts';
import type { VectorIndexRef } from './run.ts';

/** A passage has about 200 tokens, and rarely as many sentences. */
const MAX_SENTENCES = 24;

/** The vectors of `ORDINARY_SENTENCES` by the model that made them, once for a process. */
const ordinaryVectors = new WeakMap<Embedder, readonly TextResult[]>();

interface SentenceCosinesOptions {
  readonly store: Store;
  readonly namespace: string;
  /** `null` without a model. */
  readonly vectors: VectorIndexRef | null;
  readonly signal?: AbortSignal;
}

/**
 * Compares vectors with the single sentences of passages. A sentence is embedded once, and its vector is stored with that of
 * its passage. When the model fails, only stored vectors are compared from then on.
 */
export class SentenceCosines {
  readonly #options: SentenceCosinesOptions;
  #isModelDown = false;

  constructor(options: SentenceCosinesOptions) {
    this.#options = options;
  }

  /**
   * For each passage the highest cosine with one of its sentences, by its hash. Passages of one sentence are left out, since
   * their own vector says the same.
   * @throws LociError `aborted`, and the errors of the store
   */
  async of(passages: readonly StoredPassage[], query: QueryVector): Promise<ReadonlyMap<string, number>> {
    const { store, namespace } = this.#options;
    const texts = new Map(passages.map((passage) => [passage.hash, sentenceTexts(passage)]));
    for (const [hash, { length }] of texts) if (length < 2) texts.delete(hash);
    const stored = await store.vectors.sentences(namespace, query.generation, [...texts.keys()]);
    for (const hash of stored.keys()) texts.delete(hash);
    const added = await this.#embed(texts, query.generation);
    return new Map(
      [...stored, ...added].map(([hash, vectors]) => [
        hash,
        Math.max(0, ...vectors.map((vector) => cosine(vector, query.vector))),
      ]),
    );
  }

  /** The cosines with `ORDINARY_SENTENCES`, in their order; `null` while the model cannot embed them. */
  async ofOrdinary({ vector }: QueryVector): Promise<readonly number[] | null> {
    const { vectors, signal } = this.#options;
    if (vectors === null) return null;
    let ordinary = ordinaryVectors.get(vectors.embedder);
    if (ordinary === undefined) {
      if (this.#isModelDown) return null;
      const results = await this.#results(ORDINARY_SENTENCES, vectors, signal);
      // If all were refused, the fault may be that of the provider.
      if (results === null || results.every((result) => typeof result === 'string')) return null;
      ordinaryVectors.set(vectors.embedder, (ordinary = results));
    }
    return ordinary.map((each) => (typeof each === 'string' ? 0 : cosine(each, vector)));
  }

  /** @param texts the sentences of passages by the hashes of the passages */
  async #embed(texts: ReadonlyMap<string, readonly string[]>, generation: number): Promise<SentenceVectors> {
    const { store, namespace, vectors, signal } = this.#options;
    if (texts.size === 0 || vectors === null || this.#isModelDown) return new Map();
    const results = await this.#results([...texts.values()].flat(), vectors, signal);
    if (results === null) return new Map();
    let next = 0;
    const sentences = new Map(
      [...texts].flatMap(([hash, { length }]) => {
        const ofPassage = results.slice(next, (next += length));
        const made = ofPassage.filter((result) => typeof result !== 'string');
        // A passage none of whose sentences was embedded is asked for again: the fault may be that of the provider.
        return made.length === 0 ? [] : [[hash, made] as const];
      }),
    );
    await store.vectors.put(namespace, generation, [], sentences);
    return sentences;
  }

  /** `null` if the model cannot embed. */
  async #results(
    texts: readonly string[],
    { embedder }: VectorIndexRef,
    signal: AbortSignal | undefined,
  ): Promise<readonly TextResult[] | null> {
    try {
      return await embedder.embed(texts, {
        ...{ purpose: 'passage', owner: this.#options.namespace },
        // The passages that these sentences are from have vectors.
        hasVectors: () => Promise.resolve(true),
        ...(signal !== undefined && { signal }),
      });
    } catch (error) {
      if (error instanceof RefusedTextsError) return error.results;
      if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
      this.#isModelDown = true;
      return null;
    }
  }
}

/** With the title, which says what a sentence such as "the blue ones are out of stock" is about. */
function sentenceTexts({ record: { title }, text }: StoredPassage): string[] {
  return sentencesOf(text)
    .slice(0, MAX_SENTENCES)
    .map((sentence) => (title === '' ? sentence : `${title}: ${sentence}`));
}

/** Of unit vectors. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/**
 * Sentences as they stand in anybody's notes, each about something else. In a store of few notes, a document belongs to one of them
 * only if it is nearer to the note than to these.
 */
export const ORDINARY_SENTENCES: readonly string[] = `
The meeting was moved to Thursday at ten. Call the bank about the new card. The doctor wants to see me again in six
months. Milk, eggs, bread and something for the weekend. The train leaves at half past seven from the main station.
Pay the electricity bill before the end of the month. The children have no school on Friday. She told me a long story
about her first job. Book a table for four on Saturday evening. The car needs new tyres before winter. I slept badly
and woke up at five. The report has to be finished by Wednesday. Water the plants while we are away. He is looking for
a flat closer to work. The password must be changed every three months. We walked along the river and had coffee
afterwards. The dentist has an appointment free on Tuesday morning. Send the invoice to the customer. My sister's
birthday is in two weeks. The parcel was left with the neighbours. Renew the library card and return the books. The
flight was delayed by three hours. Take the tablets twice a day with food. The update broke the old version of the
program. Remember to buy a present for the wedding. It rained all day, so we stayed at home. The contract ends in
December and must be cancelled in time. The dog has to go to the vet for a vaccination. Ask for a quote and compare
the prices. The washing machine makes a strange noise. We need a decision about the budget this week. The film was too
long, but the music was good. Cook the rice for twenty minutes and let it rest. The insurance covers the damage to the
window. I started running again, three times a week. The new colleague begins on the first of the month. Pick up the
jacket from the cleaner. The tax return is due at the end of May. He plays the guitar in a band on weekends. The
garden looks dry after the hot summer. Order more paper and ink for the printer. The teacher wrote a note about the
homework. The team agreed to test the idea with ten users. Tickets for the concert go on sale on Monday. The roof of
the shed leaks near the door. Check the oil and the pressure before the trip. Grandmother fell, but nothing is broken.
The museum is closed on Mondays. Back up the photos from the phone. The recipe needs less sugar than it says. The
landlord raises the rent in spring. Our team lost, although we played better in the second half. Write a thank-you
letter to the hosts. The hotel is close to the beach and includes breakfast. The server was down for an hour last
night. Bring the bicycle to the shop for a new chain. I read half of the book and then gave up. The passport expires
next year. Clean the windows and the floor on Saturday. The baby has a fever since yesterday. The course has eight
lessons and a test at the end. The neighbours complain about the noise at night. Sign the form and send it back by
post. The cake is for the party on Sunday. The interview went well, they will call back. The lamp in the hall
flickers. He asked whether we could lend him the ladder. The savings account pays two percent. Change the filter every
six months. The shop has a sale on shoes and coats. Our flight home lands late in the evening. The plan for next year
is to travel less. The children want a cat. The wood for the fire is delivered in October. Learn ten new words every
day. The committee meets in the town hall. The phone contract costs too much. The paint in the bedroom is still wet.
My knee hurts when I climb stairs. The customer wants the order a week earlier. Put the boxes into the cellar. The
weather was fine and the snow was deep. The old computer is too slow for the new system. Invite the whole family for
lunch. The key is under the pot beside the door. The project is two weeks behind schedule. She prefers tea without
milk. The photographs from the holiday are not sorted yet. The tap in the bathroom drips. Make an appointment to have
my hair cut. The first chapter explains the method. The bus does not run on public holidays. We owe them forty for the
dinner. The medicine has to be kept in the fridge. The choir sings in the church before Christmas. The bag is too
heavy for the plane. He retired after thirty years with the company. The tomatoes are ripe and the beans are not. The
meeting room is booked until noon. Get well soon card for the neighbour in hospital.`
  .trim()
  .replaceAll('\n', ' ')
  .split(/(?<=\.) /);
