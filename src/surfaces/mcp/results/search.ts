import type {
  SearchOutput,
  RelatedResultOutput,
  SearchResultOutput,
} from '../../../engine/records/results/search-fields.ts';
import { nothingMessages, citedLines } from '../../../engine/records/results/search-messages.ts';
import { timeNotes } from '../../shared/dated-records.ts';
import {
  type ModelResult,
  onOneLine,
  type OperationResult,
  provenance,
  provenanceFields,
  quotedName,
  tagFields,
  tagLine,
  urlLine,
  warningLines,
} from './model-result.ts';

/** The result contains no duration: the same results give the same bytes, so prompt caches stay valid. */
export const searchResult: OperationResult = {
  resultOf: searchResultOf,
  types: { results: 'array', related: 'array' },
};

function searchResultOf(output: SearchOutput): ModelResult {
  const { results, related } = output;
  const summary = summaryLines(output);
  if (results.length === 0) return { summary, fields: { results: [] }, text: '', writtenBy: 'loci' };
  return {
    summary,
    fields: {
      results: results.map((each) => fieldsOf(each)),
      related: related.length === 0 ? null : related.map(relatedFields),
    },
    text: [results.map((each) => resultText(each)).join('\n\n'), ...relatedText(related)].join('\n\n'),
    writtenBy: 'others',
  };
}

/** Lines that say how much a search found, how sure that is, and what it could not do. */
function summaryLines(output: SearchOutput): string[] {
  const { results, corrections } = output;
  const warnings = [
    ...warningLines(output),
    ...corrections.map(
      ({ word, instead }) =>
        `No record has ${quotedName(word)}; searched for ${instead.map(quotedName).join(', ')} too.`,
    ),
  ];
  if (results.length === 0) return [...warnings, 'Nothing found.', ...nothingMessages(output, quotedName)];
  const count = results.length === 1 ? '1 result' : `${String(results.length)} results`;
  const isSure = output.strong > 0;
  return [...warnings, `${count}, best first${isSure ? '' : '; nothing surely fits the query'}.`];
}

function relatedText(related: readonly RelatedResultOutput[]): string[] {
  return related.length === 0
    ? []
    : [
        `Related documents of sources:\n\n${related.map((each) => resultText(each, [`belongs to ${nameOf(each.belongs_to)}`])).join('\n\n')}`,
      ];
}

function relatedFields(related: RelatedResultOutput): object {
  return { ...fieldsOf(related), belongs_to: nameOf(related.belongs_to) };
}

function fieldsOf(result: SearchResultOutput): object {
  const { citation, snippet, second, score, tags, linked_as: linked, via, explanation } = result;
  return {
    citation,
    title: result.title === '' ? null : result.title,
    headings: headingsOf(result).join(' › ') || null,
    text: snippet,
    also: second === undefined ? null : secondText(second),
    score: Number(score.toFixed(2)),
    ...provenanceFields(result),
    ...tagFields(tags),
    time: timeNotes(result).map(onOneLine).join('; ') || null,
    linked_as: linked === undefined ? null : linkedAs(linked),
    via: via === undefined ? null : viaText(via),
    explanation: explanation === undefined ? null : explanationLines(result),
  };
}

/** The headings above the passage, without one that repeats the title. */
function headingsOf({ title, headings }: SearchResultOutput): string[] {
  return headings.filter((heading) => heading !== title);
}

/** The name of a record, which `get` reads. */
function nameOf({ id, title }: { readonly id: number; readonly title: string }): string {
  return title === '' ? `record/${String(id)}` : `[[${onOneLine(title)}]]`;
}

/** Each line of the snippet starts with a bar, so that no snippet can look like the next result. */
function resultText(result: SearchResultOutput, first: readonly string[] = []): string {
  const { rank, title, citation, score, tags, snippet, linked_as: linked, via } = result;
  const name = [title, ...headingsOf(result)].filter((part) => part !== '');
  const facts = [...first, ...provenance(result), `score ${score.toFixed(2)}`, ...tagLine(tags)];
  return [
    `${String(rank)}. ${onOneLine(name.length === 0 ? citation : name.join(' › '))}`,
    `   citation: ${onOneLine(citation)}`,
    `   ${facts.join(' · ')}`,
    ...timeNotes(result).map((line) => `   ${onOneLine(line)}`),
    ...urlLine(result).map((line) => `   ${line}`),
    ...(linked === undefined ? [] : [`   linked ${linkedAs(linked)}`]),
    ...(via === undefined ? [] : [`   via ${viaText(via)}`]),
    ...explanationLines(result).map((line) => `   ${line}`),
    ...snippet
      .split(/[\r\n\u0085\u2028\u2029]+/)
      .filter((line) => line.trim() !== '')
      .map((line) => `   | ${line}`),
    ...(result.second === undefined ? [] : [`   also: ${secondText(result.second)}`]),
  ].join('\n');
}

/** How the ranking and the score came about, with `explain`. */
function explanationLines({ why, explanation }: SearchResultOutput): string[] {
  if (explanation === undefined) return [];
  const { signals, boosts, neighbour_contribution: neighbours, ranking, score } = explanation;
  const parts = [
    ...signals.map(({ signal, rank, added }) => `${signal} #${String(rank)} ${signed(added)}`),
    ...boosts.map(({ name, added }) => `${name} ${signed(added)}`),
    ...(neighbours === 0 ? [] : [`${Math.round(100 * neighbours).toString()}% from neighbours`]),
  ];
  const evidence = score.parts.map(({ name, added }) => `${name} ${signed(added)}`);
  return [
    `why: ${onOneLine(why)}`,
    `ranking ${ranking.toFixed(3)}: ${parts.join(', ')}`,
    `score: log odds ${signed(score.log_odds)} = typical ${signed(score.typical)}, ${evidence.join(', ')}` +
      (score.factor === 1 ? '' : `; times ${score.factor.toFixed(2)}`),
  ];
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
}

function linkedAs({ text, ...note }: NonNullable<SearchResultOutput['linked_as']>): string {
  return `in ${nameOf(note)} as “${onOneLine(text)}”`;
}

/** `L40–L52 The kitchen needs a cable of its own` */
function secondText({ citation, text }: NonNullable<SearchResultOutput['second']>): string {
  return onOneLine([...citedLines(citation), text].join(' '));
}

function viaText({ title, how }: NonNullable<SearchResultOutput['via']>): string {
  return `[[${onOneLine(title)}]] → ${onOneLine(how)}`;
}
