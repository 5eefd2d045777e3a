import type {
  SearchOutput,
  RelatedResultOutput,
  SearchResultOutput,
} from '../../../engine/records/results/search-fields.ts';
import { nothingMessages } from '../../../engine/records/results/search-messages.ts';
import {
  explanationLines,
  linkedText,
  recordName,
  secondText,
  timeNotes,
  viaText,
  wayLines,
} from '../../shared/result-sentences.ts';
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
        `Related documents of sources:\n\n${related.map((each) => resultText(each, [`belongs to ${onOneLine(recordName(each.belongs_to))}`])).join('\n\n')}`,
      ];
}

function relatedFields(related: RelatedResultOutput): object {
  return { ...fieldsOf(related), belongs_to: onOneLine(recordName(related.belongs_to)) };
}

function fieldsOf(result: SearchResultOutput): object {
  const { citation, snippet, second, score, tags, linked_as: linked, via, why, explanation } = result;
  return {
    citation,
    title: result.title === '' ? null : result.title,
    headings: headingsOf(result).join(' › ') || null,
    text: snippet,
    also: second === undefined ? null : onOneLine(secondText(second)),
    score: Number(score.toFixed(2)),
    ...provenanceFields(result),
    ...tagFields(tags),
    time: timeNotes(result).map(onOneLine).join('; ') || null,
    linked_as: linked === undefined ? null : onOneLine(linkedText(linked)),
    via: via === undefined ? null : onOneLine(viaText(via)),
    explanation: explanation === undefined ? null : [onOneLine(`why: ${why}`), ...explanationLines(result)],
  };
}

/** The headings above the passage, without one that repeats the title. */
function headingsOf({ title, headings }: SearchResultOutput): string[] {
  return headings.filter((heading) => heading !== title);
}

/** Each line of the snippet starts with a bar, so that no snippet can look like the next result. */
function resultText(result: SearchResultOutput, first: readonly string[] = []): string {
  const { rank, title, citation, score, tags, snippet, second, why, explanation } = result;
  const name = [title, ...headingsOf(result)].filter((part) => part !== '');
  const facts = [...first, ...provenance(result), `score ${score.toFixed(2)}`, ...tagLine(tags)];
  return [
    `${String(rank)}. ${onOneLine(name.length === 0 ? citation : name.join(' › '))}`,
    `   citation: ${onOneLine(citation)}`,
    `   ${facts.join(' · ')}`,
    ...timeNotes(result).map((line) => `   ${onOneLine(line)}`),
    ...urlLine(result).map((line) => `   ${line}`),
    ...wayLines(result).map((line) => `   ${onOneLine(line)}`),
    ...(explanation === undefined ? [] : [`   ${onOneLine(`why: ${why}`)}`]),
    ...explanationLines(result).map((line) => `   ${line}`),
    ...snippet
      .split(/[\r\n\u0085\u2028\u2029]+/)
      .filter((line) => line.trim() !== '')
      .map((line) => `   | ${line}`),
    ...(second === undefined ? [] : [`   ${onOneLine(`also: ${secondText(second)}`)}`]),
  ].join('\n');
}
