import { shortHash } from '../core/ids.ts';
import { sentencesOf } from '../core/text/sentences.ts';
import type { Metadata, Passage } from '../core/types.ts';

interface PassageSource {
  readonly title: string;
  readonly metadata: Metadata;
}

/**
 * The text that is embedded for a passage: the title and headings give the model the topic, the speaker is named in front
 * of the words, and the passage's context follows them. The hash of this text identifies the passage's vector.
 */
type EmbeddedPassage = Pick<Passage, 'headings' | 'text' | 'context'>;

export function embeddingText(record: PassageSource, passage: EmbeddedPassage): string {
  const topic = [record.title, ...passage.headings].filter((part) => part !== '');
  const { speaker } = record.metadata;
  const words = typeof speaker === 'string' ? `${speaker}: ${passage.text}` : passage.text;
  const context = passage.context === null ? [] : [passage.context];
  return [...new Set(topic), words, ...context].join('\n');
}

export function embeddingHash(record: PassageSource, passage: EmbeddedPassage): string {
  return shortHash(embeddingText(record, passage));
}

/** A message with more sentences is a text that was pasted. */
const MAX_SENTENCES = 6;
const QUESTION = /[?？][^\p{L}\p{N}]*$/u;

/**
 * The statements of a message of a user that has several sentences, which have vectors of their own. A message often asks about one
 * thing and mentions another ("By the way, I have moved to Basel"), of which its own vector has little.
 */
export function statementsOf({ metadata }: Pick<PassageSource, 'metadata'>, text: string): string[] {
  if (metadata['role'] !== 'user' || metadata['session'] === undefined) return [];
  const sentences = sentencesOf(text);
  if (sentences.length < 2 || sentences.length > MAX_SENTENCES) return [];
  return sentences.filter((sentence) => !QUESTION.test(sentence));
}
