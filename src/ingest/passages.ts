import { LociError } from '../core/errors.ts';
import { shortHash } from '../core/ids.ts';
import { sentencesOf } from '../core/text/sentences.ts';
import type { LociRecord, Passage } from '../core/types.ts';
import type { SourceProblem } from '../sources/source.ts';
import { pageNamesIn } from '../store/rules/link-index.ts';
import { mapLines, type MarkdownSection, readSections } from './markdown-blocks.ts';
import { type ChunkOptions, PassagePacker } from './passage-packer.ts';

type EmbeddedRecord = Pick<LociRecord, 'title' | 'metadata'>;

/**
 * The text that is embedded for a passage: the title and headings give the model the topic, the speaker is named in front
 * of the words, and the passage's context follows them. The hash of this text identifies the passage's vector.
 */
type EmbeddedPassage = Pick<Passage, 'headings' | 'text' | 'context'>;

export function embeddingText(record: EmbeddedRecord, passage: EmbeddedPassage): string {
  const topic = [record.title, ...passage.headings].filter((part) => part !== '');
  const { speaker } = record.metadata;
  const words = typeof speaker === 'string' ? `${speaker}: ${passage.text}` : passage.text;
  const context = passage.context === null ? [] : [passage.context];
  return [...new Set(topic), words, ...context].join('\n');
}

export function embeddingHash(record: EmbeddedRecord, passage: EmbeddedPassage): string {
  return shortHash(embeddingText(record, passage));
}

/** A message with more sentences is a text that was pasted. */
const MAX_SENTENCES = 6;
const QUESTION = /[?？][^\p{L}\p{N}]*$/u;

/**
 * The statements of a message of a user that has several sentences, which have vectors of their own. A message often asks about one
 * thing and mentions another ("By the way, I have moved to Basel"), of which its own vector has little.
 */
export function statementsOf({ metadata }: Pick<EmbeddedRecord, 'metadata'>, text: string): string[] {
  if (metadata['role'] !== 'user' || metadata['session'] === undefined) return [];
  const sentences = sentencesOf(text);
  if (sentences.length < 2 || sentences.length > MAX_SENTENCES) return [];
  return sentences.filter((sentence) => !QUESTION.test(sentence));
}

/** A passage before it has an ordinal and a hash. */
export interface Chunk {
  /** Headings above the passage, outermost first, including the heading of its own section. */
  readonly headings: readonly string[];
  /** An exact slice of the content, including heading lines and Markdown markup, without surrounding blank lines. */
  readonly text: string;
  /** First and last line of the slice in the content, counted from 1, inclusive. Front matter counts. */
  readonly startLine: number;
  readonly endLine: number;
}

/**
 * Cuts a text into the passages that are embedded and searched. Passages follow headings. Paragraphs, list items and
 * table rows are packed up to the limit. A longer block is cut between its items, else between its lines or sentences,
 * words, or code points, so that every visible character is in exactly one passage, in order. Front matter is left out
 * because its fields are indexed separately. Comments on lines of their own (`%% … %%` or `<!-- … -->`, outside lists and
 * quotes) are left out too, and a passage never spans one.
 */
export function chunk(content: string, options: ChunkOptions, isOutline = false): Chunk[] {
  const lines = mapLines(content);
  const packer = new PassagePacker(content, options);
  const add = (section: MarkdownSection): void => {
    packer.add(section);
  };
  readSections(content, lines, add, isOutline);
  return packer.finish().map(({ start, end, headings }) => ({
    headings,
    text: content.slice(start, end),
    startLine: lines.lineOf(start) + 1,
    endLine: lines.lineOf(end - 1) + 1,
  }));
}

/** How records are cut into passages. Two chunkings with the same signature make the same passages. */
export interface Chunking extends ChunkOptions {
  readonly signature: string;
  /** `makePassages` with these options. @throws LociError `aborted`; `unreadable` for content that is too complex */
  cut(record: PassageSource, signal?: AbortSignal): Promise<Passage[]>;
}

/** Must grow whenever `chunk` or `embeddingText` returns something else for the same input; stores are then reindexed. */
const CHUNKING_VERSION = 3;

/** The longest passage, in tokens of the embedding model. */
export const MAX_PASSAGE_TOKENS = 200;

/** A chunking that cuts on the calling thread. `counter` names what counts the tokens: a model, or `estimate`. */
export function chunking(counter: string, options: ChunkOptions): Chunking {
  return {
    ...options,
    signature: `${String(CHUNKING_VERSION)}/${counter}/${String(options.maxTokens)}`,
    cut: async (record) => makePassages(record, options),
  };
}

/** The parts of a record that its passages depend on. */
export type PassageSource = Pick<
  LociRecord,
  'origin' | 'project' | 'title' | 'tags' | 'metadata' | 'content'
>;

/** Returns at least one passage, so that a note without words is found by its title. */
export function makePassages(record: PassageSource, options: ChunkOptions): Passage[] {
  const chunks = chunk(record.content, options, isOutline(record));
  const cut = chunks.length > 0 ? chunks : [{ headings: [], text: '', startLine: 1, endLine: 1 }];
  const context = contextOf(record);
  return cut.map((piece, ordinal) => {
    const passage = { ordinal, ...piece, context: ordinal === cut.length - 1 ? context : null };
    return { ...passage, hash: embeddingHash(record, passage) };
  });
}

/**
 * The passages of a record; `null` and a reported problem for a text that is too complex.
 * @param key names the record in the problem
 * @throws LociError `aborted`
 */
export async function cutOrReport(
  chunking: Chunking,
  record: PassageSource,
  key: string,
  report: (problem: SourceProblem) => void,
  signal?: AbortSignal,
): Promise<Passage[] | null> {
  try {
    return await chunking.cut(record, signal);
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'unreadable') throw error;
    report({ key, reason: 'unreadable', detail: error.message, skipped: true });
    return null;
  }
}

/** Whether `makePassages` returns the same passages, including their hashes, for two states of a record. */
export function samePassages(a: PassageSource, b: PassageSource): boolean {
  const blank = { headings: [], text: '', context: null };
  return (
    a.content === b.content &&
    isOutline(a) === isOutline(b) &&
    contextOf(a) === contextOf(b) &&
    embeddingText(a, blank) === embeddingText(b, blank)
  );
}

/** Whether a record is a page of a Logseq graph. */
function isOutline({ metadata }: PassageSource): boolean {
  return pageNamesIn(metadata).length > 0;
}

/**
 * The project, tags and short metadata of a source's document, as far as its text does not name them: the todo "Clear the
 * hall" of the list "Kitchen" is about the kitchen. `null` for other records.
 */
function contextOf({ origin, project, title, tags, metadata, content }: PassageSource): string | null {
  if (origin !== 'source') return null;
  const { url: _, ...described } = metadata;
  const values = Object.values(described).filter((value) => typeof value === 'string');
  const topics = [...(project === DEFAULT_PROJECT ? [] : [project]), ...tags, ...values].filter(
    (value) => isTopic(value) && value !== title && !content.includes(value),
  );
  return topics.length === 0 ? null : [...new Set(topics)].join(' · ');
}

/** The default of the setting `project`. */
const DEFAULT_PROJECT = 'default';

/** UTF-16 code units. A longer value is a text of its own, not a topic. */
const MAX_TOPIC_LENGTH = 60;

/** Numbers, times and addresses are not topics. */
function isTopic(value: string): boolean {
  return value.length <= MAX_TOPIC_LENGTH && /\p{L}{2}/u.test(value) && !/^\d|^\w+:|@/.test(value);
}

const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu;
const CHARACTERS_PER_TOKEN = 4;

/** Estimates the tokens of a text without a model: one for each CJK character, and one for every four other characters. */
export function estimateModelTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / CHARACTERS_PER_TOKEN);
}
