import { channel } from 'node:diagnostics_channel';
import type { PassageScore } from '../../store/search-model.ts';

/** The rankings of passages. `spelling` is full text over the query with its misspelt words corrected. */
export const SIGNALS = ['vector', 'text', 'spelling', 'recency'] as const;
export type Signal = (typeof SIGNALS)[number];

/** The passages that one signal found, best first. */
export interface SignalList {
  readonly signal: Signal;
  readonly scores: readonly PassageScore[];
}

/** A signal that could not answer. */
export interface MissingSignal {
  readonly signal: Signal;
  readonly why: string;
}

/** Of a search that finds something without a vector. */
export const NOT_ALL_EMBEDDED: MissingSignal = {
  signal: 'vector',
  why: 'some of what matches has no vector yet; `loci index` embeds it',
};

/** Order of every list of scores. */
export function bestFirst(a: PassageScore, b: PassageScore): number {
  return b.score - a.score || a.passage - b.passage;
}

/** How long a signal took to answer one search. */
interface SignalTime {
  readonly signal: Signal;
  readonly milliseconds: number;
}

const times = channel('loci:signal-time');

/** Publishes how long a signal took. */
export function publishTime(time: SignalTime): void {
  if (times.hasSubscribers) times.publish(time);
}

/** Calls `listener` for every signal of every search in this process, until the returned function is called. */
export function onSignalTime(listener: (time: SignalTime) => void): () => void {
  const subscriber = (message: unknown): void => {
    listener(message as SignalTime);
  };
  times.subscribe(subscriber);
  return () => times.unsubscribe(subscriber);
}
