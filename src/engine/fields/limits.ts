import { LociError } from '../../core/errors.ts';
import { exceedsDepth } from '../../core/json.ts';
import type { Json, Metadata } from '../../core/types.ts';
import { HISTORY_CATEGORIES } from '../../store/admin-model.ts';

/** Size of a record's content in UTF-8. */
export const MAX_CONTENT_BYTES = 1_048_576;
/** Size of the metadata as JSON in UTF-8. */
const MAX_METADATA_BYTES = 16_384;
/** Levels of metadata. Structured cloning between threads fails at about 1,700. */
const MAX_METADATA_DEPTH = 100;
/** Lengths in UTF-16 code units. */
export const MAX_KEY_LENGTH = 512;
export const MAX_TITLE_LENGTH = 500;
export const MAX_LABEL_LENGTH = 128;
export const MAX_TAG_LENGTH = 100;
export const MAX_TAGS = 64;

/** The category of facts that are stored without one. */
export const DEFAULT_CATEGORY = 'user_facts';

/** Control characters except tab, line feed, and a carriage return before a line feed. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/;

/** A UTF-16 surrogate that is not part of a pair. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The fields of a memory that a caller may write. */
export interface WritableFields {
  readonly content?: string;
  readonly title?: string;
  readonly category?: string;
  readonly recordType?: string;
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Metadata;
}

/** The fields of a record to write. Those not given are not checked. */
export interface WrittenTexts extends WritableFields {
  readonly key?: string;
}

/** @throws LociError `invalid_input` with the name of the field and its limit */
export function assertWithinLimits(texts: WrittenTexts): void {
  if (texts.content !== undefined) assertContentFits(texts.content);
  assertLineFits('title', texts.title, 0, MAX_TITLE_LENGTH);
  assertLineFits('key', texts.key, 1, MAX_KEY_LENGTH);
  assertLineFits('category', texts.category, 1, MAX_LABEL_LENGTH);
  assertLineFits('record_type', texts.recordType, 1, MAX_LABEL_LENGTH);
  assertLineFits('project', texts.project, 1, MAX_LABEL_LENGTH);
  const { tags = [] } = texts;
  if (tags.length > MAX_TAGS)
    throw invalidInput(`there are ${String(tags.length)} tags; the limit is ${String(MAX_TAGS)}`);
  for (const [i, tag] of tags.entries()) assertLineFits(`tag ${String(i + 1)}`, tag, 1, MAX_TAG_LENGTH);
  if (texts.metadata !== undefined) assertMetadataFits(texts.metadata);
}

/** @throws LociError `invalid_input` for a category in which the engine stores runs (F3) */
export function assertNotReserved(category: string): void {
  // Nobody should mistake `Pack_History` for the category of the engine.
  const visible = category.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  const folded = visible.normalize('NFKC').trim().toLowerCase();
  if (!(HISTORY_CATEGORIES as readonly string[]).includes(folded)) return;
  throw new LociError('invalid_input', `the category ${category} is reserved for the engine`, {
    hint: `Use another category, such as ${DEFAULT_CATEGORY}.`,
  });
}

function invalidInput(message: string): LociError {
  return new LociError('invalid_input', message);
}

function assertContentFits(content: string): void {
  if (content.trim() === '') throw invalidInput('content is empty');
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_CONTENT_BYTES)
    throw invalidInput(`content has ${String(bytes)} bytes; the limit is ${String(MAX_CONTENT_BYTES)}`);
  assertCharactersAreValid('content', content);
}

function assertLineFits(name: string, text: string | undefined, min: number, max: number): void {
  if (text === undefined) return;
  if (text.trim().length < min) throw invalidInput(`${name} is empty`);
  if (text.length > max)
    throw invalidInput(`${name} has ${String(text.length)} characters; the limit is ${String(max)}`);
  assertCharactersAreValid(name, text);
}

function assertCharactersAreValid(name: string, text: string): void {
  // A store would replace it, and the record would no longer have the text that was written.
  const lone = LONE_SURROGATE.exec(text);
  if (lone !== null) throw invalidInput(`${name} has half of a character at offset ${String(lone.index)}`);
  const control = CONTROL.exec(text);
  if (control === null) return;
  const code = control[0].charCodeAt(0).toString(16).padStart(4, '0');
  throw invalidInput(`${name} has the control character U+${code} at offset ${String(control.index)}`);
}

function assertMetadataFits(metadata: Metadata): void {
  if (exceedsDepth(MAX_METADATA_DEPTH, metadata))
    throw invalidInput(`metadata is nested deeper than ${String(MAX_METADATA_DEPTH)} levels`);
  if (!isWellFormed(metadata)) throw invalidInput('metadata has half of a character');
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > MAX_METADATA_BYTES)
    throw invalidInput(`metadata has ${String(bytes)} bytes; the limit is ${String(MAX_METADATA_BYTES)}`);
}

function isWellFormed(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([name, field]: [string, Json]) => name.isWellFormed() && isWellFormed(field),
  );
}
