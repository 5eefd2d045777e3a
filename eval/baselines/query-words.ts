import { isStopWord } from '../../src/core/text/stop-words.ts';
import type { EvalDocument } from '../sets.ts';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const CONTRACTED = /n['’]t\b|['’](?:s|d|m|re|ve|ll)\b/g;

/** The distinct words of a query in lower case; stop words only if there are no others. */
export function queryWords(query: string): string[] {
  const words = [...new Set(wordsOf(query.toLowerCase().replace(CONTRACTED, ' ')))];
  const withoutStopWords = words.filter((word) => !isStopWord(word));
  return withoutStopWords.length > 0 ? withoutStopWords : words;
}

export function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** What a baseline sees of a document: everything the engine sees, as one plain text. */
export function plainDocument(doc: EvalDocument): { readonly title: string; readonly body: string } {
  const text = doc.speaker === undefined ? doc.text : `${doc.speaker}: ${doc.text}`;
  return {
    title: doc.title ?? fileName(doc),
    body: doc.caption === undefined || doc.caption === '' ? text : `${text}\n${doc.caption}`,
  };
}

function fileName({ path = '' }: EvalDocument): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}
