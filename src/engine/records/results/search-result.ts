import { dayText, storedTime } from '../../../core/time/whole-day.ts';
import type { Timestamp } from '../../../core/types.ts';
import { type Snippet, snippet, SNIPPET_LENGTH, snippetWithProperties } from '../../../search/snippet.ts';
import { matchedTerms } from '../../../search/query/phrases.ts';
import type { Hit } from '../../../search/rank/confidence.ts';
import type { ShownPassages } from '../../../search/shown-passages.ts';
import { plainText } from '../../../sources/markdown/plain-text.ts';
import type { StoredPassage } from '../../../store/search-model.ts';
import { sourceFieldsOf, validityOf } from '../../fields/record-fields.ts';
import { isoTime } from '../../fields/times.ts';
import type { SourceOrigin } from '../../reading/configured/source-origin.ts';
import { recordAge } from './record-age.ts';
import { propertiesOf } from './properties.ts';
import { boostWords, SIGNAL_WORDS } from './search-messages.ts';
import type { ScoreExplanation, SearchResultOutput } from './search-fields.ts';
import type { Bridge } from '../../../search/rank/rank.ts';

/** What the hits of a search need to become results. */
interface FormatOptions {
  readonly terms: ReadonlySet<string>;
  readonly now: Timestamp;
  readonly explain: boolean;
}

/** What the result of a hit shows of its record, and how it is cited. */
interface ShownHit extends Pick<SearchResultOutput, 'later'> {
  readonly hit: Hit;
  readonly passages: ShownPassages;
  readonly citation: string;
  /** That of the second passage. */
  readonly secondCitation: string;
  readonly from: SourceOrigin | null;
}

/** @param rank from 1 */
export function formatHit(
  { hit, passages: { best, second }, citation, secondCitation, from, later }: ShownHit,
  rank: number,
  { terms, now, explain }: FormatOptions,
): SearchResultOutput {
  const { record, headings } = best.passage;
  const also = second === null ? null : alsoText(second.passage, best.passage, terms);
  const shown = snippetOf(best.passage, terms, SNIPPET_LENGTH - (also?.length ?? 0));
  const linkedAs = linkedAsOf(hit, best.passage);
  const { bridge } = hit;
  return {
    rank,
    id: record.id,
    title: record.title,
    citation,
    headings: [...headings],
    snippet: shown.text,
    highlights: shown.marks.map(([start, end]) => [start, end]),
    ...(also !== null && { second: { citation: secondCitation, text: also } }),
    score: rounded(hit.confidence),
    created_at: isoTime(storedTime(record)),
    age: recordAge(record, now),
    ...validityOf(record),
    origin: record.origin,
    source: record.source,
    ...sourceFieldsOf(from, record.source),
    trust: record.trust,
    project: record.project,
    category: record.category,
    record_type: record.recordType,
    tags: [...record.tags],
    ...(linkedAs !== null && { linked_as: linkedAs }),
    ...(bridge !== undefined && { via: { id: bridge.record, title: bridge.title, how: howOf(bridge) } }),
    ...(later !== undefined && { later }),
    ...(hit.same !== undefined && {
      also: hit.same.map(({ record: id, time }) => ({
        id,
        citation: `record/${String(id)}`,
        date: dayText(time),
      })),
    }),
    why: reasonsOf(hit),
    ...(explain && { explanation: explanationOf(hit) }),
  };
}

/** The result of a hit that stands before an earlier one of another namespace, with the confidence that it has there. */
export function movedResult(result: SearchResultOutput, hit: Hit): SearchResultOutput {
  return {
    ...result,
    score: rounded(hit.confidence),
    why: `${result.why}, ${boostWords({ name: 'newer' })}`,
    ...(result.explanation !== undefined && { explanation: explanationOf(hit) }),
  };
}

/** What a result shows of the second passage, UTF-16 code units. */
const ALSO_LENGTH = 60;

/** `Timeline: The electrician comes on Monday…` */
function alsoText(second: StoredPassage, best: StoredPassage, terms: ReadonlySet<string>): string {
  const heading = second.headings.at(-1);
  const isNew = heading !== undefined && heading !== best.headings.at(-1) && heading !== best.record.title;
  const name = isNew && heading.length < ALSO_LENGTH / 2 ? `${heading}: ` : '';
  return name + snippetOf(second, terms, ALSO_LENGTH - name.length).text.replaceAll(/\s+/g, ' ');
}

/**
 * What a result shows of a passage: its text without Markdown, its title and the headings above it. A passage that has no more than these
 * is shown by its links, else by the properties of its note, else by its title.
 */
export function snippetOf(
  passage: StoredPassage,
  terms: ReadonlySet<string>,
  length: number = SNIPPET_LENGTH,
): Snippet {
  const { record, headings, text } = passage;
  const above = [record.title, ...headings];
  const properties = propertiesOf(record.metadata);
  if (record.origin === 'fact') return snippet(text, terms, length);
  const shown = shownText(passage);
  const found = snippetWithProperties({ text: shown, above: above.join('\n') }, properties, terms, length);
  if (found.text !== '') return found;
  const others = [plainText(text), properties.join('\n'), record.title, text];
  return snippet(others.find((each) => each !== '') ?? '', terms, length);
}

/** UTF-16 code units. */
const LINKED_AS_LENGTH = 120;

/** By passage: a store that caches passages returns the same, unchanged objects for many searches. */
const shownTexts = new WeakMap<StoredPassage, string>();

/** The text of a passage without Markdown, its title and the headings above it. */
function shownText(passage: StoredPassage): string {
  let shown = shownTexts.get(passage);
  if (shown === undefined) {
    const above = [passage.record.title, ...passage.headings].map((each) => each.toLowerCase());
    shown = plainText(passage.text, new Set(above));
    shownTexts.set(passage, shown);
  }
  return shown;
}

/** Only if the link has a word of the query that the passage does not have. */
function linkedAsOf(
  { links }: Hit,
  passage: StoredPassage,
): NonNullable<SearchResultOutput['linked_as']> | null {
  if (links === null) return null;
  const { matchedTerms: ofLink, sentence, record, title } = links.best;
  if (matchedTerms(passage, ofLink).size === ofLink.size) return null;
  return { text: snippet(sentence, ofLink, LINKED_AS_LENGTH).text, id: record, title };
}

function explanationOf(hit: Hit): NonNullable<SearchResultOutput['explanation']> {
  return {
    signals: hit.contributions.map(({ signal, rank, raw, added, halfLifeDays }) => ({
      signal,
      rank,
      raw: rounded(raw),
      added: rounded(added),
      ...(halfLifeDays !== undefined && { half_life_days: rounded(halfLifeDays) }),
    })),
    boosts: hit.boosts.map(({ name, added, factor }) => ({
      name,
      added: rounded(added),
      ...(factor !== undefined && { factor }),
    })),
    neighbour_contribution: rounded(neighbourContribution(hit)),
    ranking: rounded(hit.score),
    score: scoreExplanationOf(hit.confidenceParts),
  };
}

function scoreExplanationOf({
  typical,
  parts,
  match,
  modelCoverage,
  factor,
}: Hit['confidenceParts']): ScoreExplanation {
  return {
    typical: rounded(typical),
    parts: parts.map(({ name, value, added }) => ({ name, value: rounded(value), added: rounded(added) })),
    log_odds: rounded(parts.reduce((sum, { added }) => sum + added, typical)),
    factor: rounded(factor),
    coverage: rounded(match.coverage),
    cosine: match.cosine === null ? null : rounded(match.cosine),
    model_coverage: rounded(modelCoverage),
  };
}

/** Four decimal places: recency changes further ones with every millisecond. */
function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

/**
 * How a better result leads to another: `linked under Oven`, `mentioned under Oven`, `both name “Falkland Islands”`.
 */
function howOf({ kind, text, headings }: Pick<Bridge, 'kind' | 'text' | 'headings'>): string {
  if (kind === 'phrase') return `both name “${text}”`;
  const verb = kind === 'link' ? 'linked' : 'mentioned';
  const heading = headings.at(-1);
  return heading === undefined ? verb : `${verb} under ${heading}`;
}

/**
 * `text #1, meaning #3, title, source ×0.9`: the signals by rank, then the boosts. Recency is left out, since every
 * record has it and it only breaks ties.
 */
function reasonsOf(hit: Hit): string {
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
function neighbourContribution({ contributions, boosts, score }: Hit): number {
  return score - [...contributions, ...boosts].reduce((sum, { added }) => sum + added, 0);
}
