import { dayText, storedTime } from '../../../core/time/whole-day.ts';
import type { Timestamp } from '../../../core/types.ts';
import { type Snippet, snippet, snippetWithProperties } from '../../../search/explain/snippet.ts';
import { matchedTerms } from '../../../search/query/phrases.ts';
import { type Hit, MIN_SURE_CONFIDENCE } from '../../../search/rank/confidence.ts';
import { sourceFieldsOf } from '../../fields/source-fields.ts';
import { isoTime } from '../../fields/times.ts';
import { validityOf } from '../../fields/validity.ts';
import type { SourceOrigin } from '../../reading/configured/source-origin.ts';
import { recordAge } from './record-age.ts';
import { propertiesOf } from './properties.ts';
import { howOf, neighbourContribution, reasonsOf } from './reasons.ts';
import type { ScoreExplanation, SearchResultOutput } from './search-fields.ts';

/** What the hits of a search need to become results. */
interface FormatOptions {
  readonly terms: ReadonlySet<string>;
  readonly now: Timestamp;
  readonly explain: boolean;
}

interface HitContext extends Pick<SearchResultOutput, 'citation' | 'later'> {
  readonly from: SourceOrigin | null;
}

/** @param rank from 1 */
export function formatHit(
  hit: Hit,
  rank: number,
  { citation, from, later }: HitContext,
  { terms, now, explain }: FormatOptions,
): SearchResultOutput {
  const { record, headings } = hit.passage;
  const shown = snippetOf(hit, terms);
  const linkedAs = linkedAsOf(hit);
  const { bridge } = hit;
  return {
    rank,
    id: record.id,
    title: record.title,
    citation,
    headings: [...headings],
    snippet: shown.text,
    highlights: shown.marks.map(([start, end]) => [start, end]),
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

/** What a result shows of its note. */
export function snippetOf({ passage: { record, headings, text } }: Hit, terms: ReadonlySet<string>): Snippet {
  const above = [record.title, ...headings].join('\n');
  return snippetWithProperties({ text, above }, propertiesOf(record.metadata), terms);
}

/** UTF-16 code units. */
const LINKED_AS_LENGTH = 120;

/** Only if the link has a word of the query that the passage does not have. */
function linkedAsOf({ passage, links }: Hit): NonNullable<SearchResultOutput['linked_as']> | null {
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

/** Results are weak after the last one that has this share of the best score. */
const MIN_SHARE_OF_BEST = 0.5;

/** How many results come before the weak ones, which are often noise; 0 if nothing surely fits. */
export function strongMatches(results: readonly Pick<SearchResultOutput, 'score'>[]): number {
  const best = Math.max(0, ...results.map(({ score }) => score));
  return best < MIN_SURE_CONFIDENCE
    ? 0
    : 1 + results.findLastIndex(({ score }) => score >= best * MIN_SHARE_OF_BEST);
}

/** A notice for texts without scores. */
export const NOTHING_FITS = 'nothing surely fits the query';

/** Four decimal places: recency changes further ones with every millisecond. */
function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
