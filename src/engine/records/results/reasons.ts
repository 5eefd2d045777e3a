import type { Boost } from '../../../search/rank/boosts.ts';
import type { Hit } from '../../../search/rank/confidence.ts';
import type { Bridge } from '../../../search/rank/rank.ts';
import type { Signal } from '../../../search/retrieve/signals.ts';

/** The names of the signals in texts for people. */
export const SIGNAL_WORDS: Readonly<Record<Signal, string>> = {
  text: 'text',
  vector: 'meaning',
  spelling: 'spelling',
  recency: 'recency',
};

const BOOST_WORDS: Readonly<Record<Boost['name'], string>> = {
  title: 'title',
  linked: 'links of other notes',
  bridge: 'a better result leads to it',
  date: 'date',
  speaker: 'speaker',
  session: 'session',
  short: 'short turn',
  user: 'said by the user',
  source: 'source',
  completed: 'completed',
  belongs: 'belongs to the best note',
  kind: 'kind',
  confidence: 'confidence',
  newer: 'newer',
};

/**
 * How a better result leads to another: `linked under Oven`, `mentioned under Oven`, `both name “Falkland Islands”`.
 */
export function howOf({ kind, text, headings }: Pick<Bridge, 'kind' | 'text' | 'headings'>): string {
  if (kind === 'phrase') return `both name “${text}”`;
  const verb = kind === 'link' ? 'linked' : 'mentioned';
  const heading = headings.at(-1);
  return heading === undefined ? verb : `${verb} under ${heading}`;
}

/** `title`, `source ×0.9` */
export function boostWords({ name, factor }: Pick<Boost, 'name' | 'factor'>): string {
  return factor === undefined
    ? BOOST_WORDS[name]
    : `${BOOST_WORDS[name]} ×${String(Number(factor.toFixed(2)))}`;
}

/**
 * `text #1, meaning #3, title, source ×0.9`: the signals by rank, then the boosts. Recency is left out, since every
 * record has it and it only breaks ties.
 */
export function reasonsOf(hit: Hit): string {
  const { contributions, boosts } = hit;
  const order = Object.keys(SIGNAL_WORDS);
  const ranked = contributions
    .filter(({ signal }) => signal !== 'recency')
    .toSorted((a, b) => a.rank - b.rank || order.indexOf(a.signal) - order.indexOf(b.signal))
    .map(({ signal, rank }) => `${SIGNAL_WORDS[signal]} #${String(rank)}`);
  const isByOther = boosts.some(({ name }) => name === 'belongs' || name === 'linked' || name === 'bridge');
  // Without another signal, a passage was found through its neighbours or by its date.
  if (ranked.length === 0 && !isByOther)
    ranked.push(neighbourContribution(hit) > 0 ? 'next to a match' : SIGNAL_WORDS.recency);
  const reasons = boosts.filter(
    ({ name, added }) => name !== 'confidence' && (name !== 'newer' || added > 0),
  );
  return [...ranked, ...reasons.map(boostWords)].join(', ');
}

/** What neighbouring turns of a session, or a better-ranked passage of the same record, added to the ranking score. */
export function neighbourContribution({ contributions, boosts, score }: Hit): number {
  return score - [...contributions, ...boosts].reduce((sum, { added }) => sum + added, 0);
}
