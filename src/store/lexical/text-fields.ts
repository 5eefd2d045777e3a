import { additionalTerms } from '../../core/text/additional-terms.ts';
import { analyze } from '../../core/text/analyze.ts';
import type { Json, LociRecord, Metadata, Passage } from '../../core/types.ts';
import { fileNameOf } from '../rules/link-index.ts';

/** The four fields of a passage in the full-text index. Each has a separate weight. */
export interface TextFields {
  readonly title: string;
  readonly headings: string;
  readonly body: string;
  readonly tags: string;
}

export const TEXT_FIELDS: readonly (keyof TextFields)[] = ['title', 'headings', 'body', 'tags'];

/** The fields of a record that are indexed with each of its passages. */
export type IndexedFields = Pick<LociRecord, 'title' | 'tags' | 'metadata' | 'origin' | 'key'>;

/**
 * The text of a record and a passage that is searched, by field. Aliases of a note belong to the title. Front matter and the
 * name of the file are indexed once, with the first passage. Speaker and date belong to the headings, because they are context of
 * the words like a heading.
 */
export function textFields(
  record: IndexedFields,
  passage: Pick<Passage, 'ordinal' | 'headings' | 'text' | 'context'>,
): TextFields {
  const { metadata } = record;
  return {
    title: [record.title, ...strings(metadata['aliases'])].join('\n'),
    headings: [...passage.headings, ...strings(metadata['speaker']), ...dateWords(metadata)].join('\n'),
    body: [
      passage.text,
      ...strings(passage.context),
      ...strings(metadata['caption']),
      ...(passage.ordinal === 0 ? [...properties(metadata), ...otherFileName(record)] : []),
    ].join('\n'),
    tags: record.tags.join('\n'),
  };
}

/** Whether the passages of two versions of a record have the same fields. */
export function sameFields(a: IndexedFields, b: IndexedFields): boolean {
  const emptyPassage = { ordinal: 0, headings: [], text: '', context: null };
  const [before, after] = [textFields(a, emptyPassage), textFields(b, emptyPassage)];
  return TEXT_FIELDS.every((field) => before[field] === after[field]);
}

/** The terms and words that a passage adds to the indexes. */
export interface IndexedPassage {
  /** The terms of each field, in order, and its additional terms, each once. */
  readonly terms: Readonly<Record<keyof TextFields, readonly string[]>>;
  /** The words that the vocabulary counts, each once. CJK bigrams have no spelling to correct. */
  readonly words: ReadonlySet<string>;
}

export function indexPassage(
  record: IndexedFields,
  passage: Pick<Passage, 'ordinal' | 'headings' | 'text' | 'context'>,
): IndexedPassage {
  const fields = textFields(record, passage);
  const words = new Set<string>();
  const termsOf = (text: string): string[] => {
    const tokens = analyze(text);
    const terms = tokens.map(({ term, surface, kind }) => {
      if (kind === 'word') words.add(surface);
      return term;
    });
    const additional = new Map(additionalTerms(text, tokens).map(({ term, surface }) => [term, surface]));
    for (const [term, surface] of additional) {
      words.add(surface);
      terms.push(term);
    }
    return terms;
  };
  const terms = {
    title: termsOf(fields.title),
    headings: termsOf(fields.headings),
    body: termsOf(fields.body),
    tags: termsOf(fields.tags),
  };
  return { terms, words };
}

/** A shorter name, such as `24` in `24/7`, is not searched for as the name of a file. */
export const MIN_FILE_NAME_LENGTH = 3;

/** The file name of a note that has another title. */
function otherFileName({ origin, key, title }: IndexedFields): string[] {
  if (origin !== 'vault' || key === null) return [];
  const name = fileNameOf(key);
  return name === title || name.length < MIN_FILE_NAME_LENGTH ? [] : [name];
}

function properties(metadata: Metadata): string[] {
  const frontMatter = metadata['frontMatter'];
  return typeof frontMatter !== 'object' || frontMatter === null ? [] : textsOf(frontMatter);
}

/** The texts of a value, however they are nested. */
function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values<Json>(value).flatMap(textsOf) : [];
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})/;

/** `2026-09-14` is also found as "14 September 2026", and a quarter by its months. */
function dateWords({ date, period }: Metadata): string[] {
  const match = typeof date === 'string' ? ISO_DATE.exec(date) : null;
  if (match === null) return [];
  const [iso, year, monthText, day] = match;
  const month = Number(monthText) - 1;
  if (typeof period !== 'string') return [`${iso} ${Number(day)} ${MONTHS[month] ?? ''} ${year}`];
  const months = period.includes('Q') ? 3 : period.includes('-') ? 1 : 0;
  return [[period, ...MONTHS.slice(month, month + months), year].join(' ')];
}
