import type { Boost } from '../../../search/rank/boosts.ts';
import { MIN_SURE_CONFIDENCE } from '../../../search/rank/confidence.ts';
import type { Signal } from '../../../search/retrieve/signals.ts';
import type { SearchOutput, SearchResultOutput } from './search-fields.ts';
import type { WhyNothing } from './why-nothing.ts';

// What the answer to a search says in words, the same on every surface. A surface passes `show`, which makes names and values that others
// have chosen harmless for its readers.
type ShowName = (name: string) => string;

/** Which signals the answer lacks, and why, without a full stop. */
export function missingMessages({
  missing,
  results = [],
}: Pick<SearchOutput, 'missing'> & Partial<Pick<SearchOutput, 'results'>>): string[] {
  return missing.map(({ signal, why }) => {
    const how = hasFound(signal, results) ? 'only partly by' : 'without';
    return `searched ${how} ${SIGNAL_WORDS[signal]}: ${why}`;
  });
}

/** Whether a signal that is reported missing still found some results: for example, only some passages have vectors. */
export function hasFound(signal: keyof typeof SIGNAL_WORDS, results: SearchOutput['results']): boolean {
  return results.some(({ why }) => why.includes(`${SIGNAL_WORDS[signal]} #`));
}

/** If a result that was left out scores at least this, the query needs no other words. */
const FAIR_SCORE = 0.3;

/** Why nothing was found, as far as it is known, and what to try, in sentences. */
export function nothingMessages(
  { query, nothing, unmatched }: Pick<SearchOutput, 'query' | 'nothing' | 'unmatched'>,
  show: ShowName,
): string[] {
  if (nothing?.empty === true && nothing.unread_vaults.length === 0)
    return [`The namespace ${show(nothing.namespace)} is empty: \`loci index PATH\` reads notes.`];
  const lines = unmatchedMessages(unmatched, show);
  const { unread_vaults: unread = [], unmet_filters: unmet = [] } = nothing ?? {};
  if (unread.length > 0) lines.push(`Not indexed yet: ${unread.map(show).join(', ')}. Run \`loci index\`.`);
  if (unmet.length > 0 && unmatched.length === 0)
    lines.push(
      `No record matches ${unmet.length === 1 ? 'the filter' : 'all of these filters at once'}: ${unmet.map(filterName).join(', ')}.`,
    );
  const { hidden = null, hidden_of_sources: ofSources = [] } = nothing ?? {};
  const best = Math.max(hidden?.best_score ?? 0, ...ofSources.map(({ best_score }) => best_score));
  if (lines.length === 0 && best < FAIR_SCORE) lines.push(defaultAdvice(query));
  if (hidden !== null) lines.push(`${belowMinScore(hidden)}: a minimum score of 0 shows what was left out.`);
  for (const source of ofSources)
    lines.push(
      `${belowMinScore(source, ` of ${show(source.source)}`)}: change its \`minScore\` in loci.yaml.`,
    );
  return lines;
}

function belowMinScore(
  { results, best_score, min_score }: NonNullable<WhyNothing['hidden']>,
  of = '',
): string {
  const count = results === 1 ? `1 result${of} scores` : `${String(results)} results${of} score`;
  // Rounded up, 0.049 would not be below 0.05.
  return `${count} below ${String(min_score)}, at best ${(Math.floor(best_score * 100) / 100).toFixed(2)}`;
}

function defaultAdvice(query: string): string {
  const isQuotedOnly = /^\s*(?:"[^"]*"\s*)+$/.test(query);
  return isQuotedOnly
    ? 'Quoted words must occur exactly so; try them without the quotes.'
    : 'Try other words or fewer filters; `loci status` shows what is stored.';
}

/** The values of filters that no record has, and those that records have: `No record has the tag x; existing values: y, z.` */
export function unmatchedMessages(unmatched: SearchOutput['unmatched'], show: ShowName): string[] {
  return unmatched.map(({ filter, value, known }) => {
    if (filter === 'path') return `No record has a path like ${show(value)}.`;
    const name = filterName(filter);
    const existing =
      known.length === 0 ? `none has any ${name}` : `existing values: ${known.map(show).join(', ')}`;
    return `No record has the ${name} ${show(value)}; ${existing}.`;
  });
}

function filterName(filter: string): string {
  return filter.replace('_', ' ');
}

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
  original: 'conflict copy below its note',
};

/** `title`, `source ×0.9` */
export function boostWords({ name, factor }: Pick<Boost, 'name' | 'factor'>): string {
  return factor === undefined
    ? BOOST_WORDS[name]
    : `${BOOST_WORDS[name]} ×${String(Number(factor.toFixed(2)))}`;
}

/** The lines of a citation as texts show them: `L40–L52`; none of a record without lines. */
export function citedLines(citation: string): string[] {
  const [, first, last] = /#L(\d+)-L(\d+)$/.exec(citation) ?? [];
  return first === undefined ? [] : [first === last ? `L${first}` : `L${first}–L${last!}`];
}

/** Results are weak after the last one that has this share of the best score. */
const MIN_SHARE_OF_BEST = 0.5;

/** How many results come before the weak ones, which are often noise; 0 if nothing surely fits. */
export function countStrong(results: readonly Pick<SearchResultOutput, 'score'>[]): number {
  const best = Math.max(0, ...results.map(({ score }) => score));
  return best < MIN_SURE_CONFIDENCE
    ? 0
    : 1 + results.findLastIndex(({ score }) => score >= best * MIN_SHARE_OF_BEST);
}

/** A notice for texts without scores. */
export const NOTHING_FITS = 'nothing surely fits the query';
