import { LociError } from '../../core/errors.ts';
import { exceedsDepth } from '../../core/json.ts';
import type { Metadata } from '../../core/types.ts';

/** Longest content of a record, bytes of UTF-8. */
export const MAX_CONTENT_BYTES = 1_048_576;
/** Longest metadata, bytes of its JSON text. */
const MAX_METADATA_BYTES = 16_384;
/** Levels of metadata: some 1,700 are what threads can tell each other. */
const MAX_METADATA_DEPTH = 100;
/** Characters. */
export const MAX_KEY = 512;
export const MAX_TITLE = 500;
export const MAX_LABEL = 128;
export const MAX_TAG = 100;
export const MAX_TAGS = 64;

/** Anything but tab and line ends; a carriage return only as a part of one. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)/;

/** The texts of a record that somebody wants to write. What is not given is not looked at. */
export interface WrittenTexts {
  readonly content?: string;
  readonly title?: string;
  readonly key?: string;
  readonly category?: string;
  readonly recordType?: string;
  readonly project?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Metadata;
}

/** @throws LociError `invalid_input` that names the field, what is wrong with it and what would be right */
export function assertWithinLimits(texts: WrittenTexts): void {
  if (texts.content !== undefined) refuseUnfitContent(texts.content);
  refuseUnfitLine('title', texts.title, 0, MAX_TITLE);
  refuseUnfitLine('key', texts.key, 1, MAX_KEY);
  refuseUnfitLine('category', texts.category, 1, MAX_LABEL);
  refuseUnfitLine('record_type', texts.recordType, 1, MAX_LABEL);
  refuseUnfitLine('project', texts.project, 1, MAX_LABEL);
  const { tags = [] } = texts;
  if (tags.length > MAX_TAGS)
    throw unfit(`there are ${String(tags.length)} tags; at most ${String(MAX_TAGS)} fit`);
  for (const [i, tag] of tags.entries()) refuseUnfitLine(`tag ${String(i + 1)}`, tag, 1, MAX_TAG);
  if (texts.metadata !== undefined) refuseUnfitMetadata(texts.metadata);
}

function unfit(message: string): LociError {
  return new LociError('invalid_input', message);
}

function refuseUnfitContent(content: string): void {
  if (content.trim() === '') throw unfit('content is empty');
  const bytes = Buffer.byteLength(content);
  if (bytes > MAX_CONTENT_BYTES)
    throw unfit(`content has ${String(bytes)} bytes; at most ${String(MAX_CONTENT_BYTES)} fit`);
  refuseControl('content', content);
}

function refuseUnfitLine(name: string, text: string | undefined, least: number, most: number): void {
  if (text === undefined) return;
  if (text.trim().length < least) throw unfit(`${name} is empty`);
  if (text.length > most)
    throw unfit(`${name} has ${String(text.length)} characters; at most ${String(most)} fit`);
  refuseControl(name, text);
}

function refuseControl(name: string, text: string): void {
  const control = CONTROL.exec(text);
  if (control === null) return;
  const code = control[0].charCodeAt(0).toString(16).padStart(4, '0');
  throw unfit(`${name} has the control character U+${code} at offset ${String(control.index)}`);
}

function refuseUnfitMetadata(metadata: Metadata): void {
  if (exceedsDepth(MAX_METADATA_DEPTH, metadata))
    throw unfit(`metadata is nested deeper than ${String(MAX_METADATA_DEPTH)} levels`);
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  if (bytes > MAX_METADATA_BYTES)
    throw unfit(`metadata has ${String(bytes)} bytes; at most ${String(MAX_METADATA_BYTES)} fit`);
}
