import { LociError } from '../core/errors.ts';
import type { LociRecord, Passage } from '../core/types.ts';
import type { SourceProblem } from '../sources/source.ts';
import { chunk } from './chunk.ts';
import { embeddingHash, embeddingText } from './embedding-text.ts';
import type { ChunkOptions } from './passage-packer.ts';

/** How records are cut into passages. Two chunkings with the same signature make the same passages. */
export interface Chunking extends ChunkOptions {
  readonly signature: string;
  /** `makePassages` with these options. @throws LociError `aborted`; `unreadable` for content that is too complex */
  cut(record: PassageSource, signal?: AbortSignal): Promise<Passage[]>;
}

/** Must grow whenever `chunk` or `embeddingText` returns something else for the same input; stores are then reindexed. */
const CHUNKING_VERSION = 2;

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
  const chunks = chunk(record.content, options);
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
    contextOf(a) === contextOf(b) &&
    embeddingText(a, blank) === embeddingText(b, blank)
  );
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
