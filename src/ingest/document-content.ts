import type { MemoryDocument } from '../sources/document.ts';

/**
 * Grows whenever `contentOf`, or anything else that `replaceDocuments` makes of a document, would be another of the same
 * document: then the next refresh of each source writes all of its documents anew. What comes out the same after all keeps
 * its passages, and costs no embedding.
 */
export const DOCUMENT_FORMAT = 2;

/** UTF-16 units of a value that says what something is about: a list, a place, a person, not another text. */
const SHORT = 60;

/**
 * What is searched of a document: its text and, in a last line, what else tells what it is about: project, tags and short
 * metadata. "Clear the hall" of the list "Kitchen" is about the kitchen.
 */
export function contentOf({ text, title, project, tags, metadata }: DocumentContent): string {
  const values = Object.values(metadata).filter((value) => typeof value === 'string');
  const about = [project ?? '', ...tags, ...values].filter(
    (each) => isWord(each) && !text.includes(each) && each !== title,
  );
  return about.length === 0 ? text : `${text}\n${MARK}${[...new Set(about)].join(' · ')}`;
}

export type DocumentContent = Pick<MemoryDocument, 'text' | 'title' | 'project' | 'tags' | 'metadata'>;

/** Numbers, times and addresses say nothing of what something is about. */
function isWord(value: string): boolean {
  return value.length <= SHORT && /\p{L}{2}/u.test(value) && !/^\d|^\w+:|@/.test(value);
}

/** A thin space: to the model and the index it is nothing, and no text of its own begins a line with it. */
const MARK = '\u2009';
const MARKED = new RegExp(`\n${MARK}[^\n]*$`);

/** The text of a passage without the line that only helps to find it. */
export function textOf(passage: string): string {
  return passage.replace(MARKED, '');
}
