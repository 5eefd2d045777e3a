import { BLOCK_ID } from '../markdown/plain-text.ts';
import MarkdownIt, { type Token } from 'markdown-it';
import type { Json, Metadata } from '../../core/types.ts';
import { dateField, type DateField } from '../dates/note-dates.ts';
import { commentBlocks, parseBlocks, plainBlockTokens } from '../markdown/plain-tokens.ts';
import { frontMatterSpan, isUnclosedFrontMatter } from '../markdown/front-matter-span.ts';
import { collectInline, type InlineFindings } from '../markdown/inline-syntax.ts';
import { linkDefinitions, type Link, type References } from '../markdown/scan-links.ts';
import { parseFrontMatter } from '../markdown/front-matter.ts';
import { notesNamedPlainly } from '../markdown/statement-property.ts';

/** A parsed note. */
export interface Note {
  /** `title` in the front matter. Obsidian shows the name of the file if there is none. */
  readonly title: string | null;
  /** `id` or `uid` in the front matter. */
  readonly identity: string | null;
  readonly project: string | null;
  /** `category` in the front matter, if it is a single name. */
  readonly category: string | null;
  /** `type` in the front matter, if it is a single name. */
  readonly type: string | null;
  /** Tags of the front matter and the text, without `#` and without duplicates; case does not matter. */
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  /** Links and embeds of the front matter and the text, and notes that a property such as `supersedes` names; without duplicates. */
  readonly links: readonly Link[];
  /** Ids of blocks that other notes can link to, without `^`. */
  readonly blockIds: readonly string[];
  /** Dates of the front matter, then inline fields before the text: `date:: 2026-05-01`. */
  readonly dates: readonly DateField[];
  /** The other fields of the front matter, and `category` and `type`, so that the note is found by their words. */
  readonly frontMatter: Metadata;
  readonly frontMatterProblem: string | null;
  /** The names under which the links of a Logseq graph find the page; absent in other vaults. */
  readonly pageNames?: readonly string[];
}

/** Limits what one note adds to the metadata in the store. A generated index may have 100,000 links. */
export const NOTE_LIMITS = { links: 2000, tags: 500, aliases: 200, blockIds: 2000, nameLength: 300 } as const;

const EXTRACTED_FIELDS: readonly string[] = 'title tags tag aliases alias project id uid'.split(' ');
const NAME_FIELDS: readonly string[] = [...EXTRACTED_FIELDS, 'category', 'type'];
/** A link, or several. */
const PROPERTY_LINK = /^(?:!?\[\[[^[\]\n]+\]\][\s,;]*)+$/;
/** `key:: value` or `[key:: value]`, where the key may be emphasised. */
const INLINE_FIELD = /^[*_]{0,3}(\p{L}[\p{L}\d _-]{0,30}?)[*_]{0,3}::[*_]{0,3}[ \t]*(\S.{0,100})$/u;
/** Lines of a text that are read for fields. */
const MAX_FIELD_LINES = 100;
/** This much of each line, in UTF-16 units. */
const MAX_FIELD_LENGTH = 300;
/** Marks of lists and quotes. */
const BEFORE_FIELD = /^[\s>]*(?:[-*+]\s+)?/;
/** A heading, the title of a callout, a rule, or a line of fields, links or tags alone. */
const NO_SENTENCE =
  /^[\s>]*(?:[-*+]\s+)?(?:#{1,6}\s|\[!|[-*_]{3,}\s*$|[^:\n]{1,40}::|(?:(?:#[^\s#,|·•]+|!?\[\[[^\]]*\]\])[\s,|·•]*)+$)/;

const parser = new MarkdownIt({ html: true })
  .use(plainBlockTokens)
  .use(commentBlocks)
  .use(collectInline)
  .disable('reference');

const UNCLOSED =
  'read without its front matter, and so without the tags and properties there; no line `---` closes it';

/**
 * Parses a note. Never throws, and takes time in proportion to the length.
 * @param properties those that it has besides its front matter
 */
export function parseNote(content: string, properties: Metadata = {}): Note {
  const span = frontMatterSpan(content);
  const { fields: ofFrontMatter, problem } =
    span === null
      ? { fields: {}, problem: isUnclosedFrontMatter(content) ? UNCLOSED : null }
      : parseFrontMatter(content.slice(span.yamlStart, span.yamlEnd), {
          ...span,
          isName: (property) => NAME_FIELDS.includes(property.toLowerCase()),
        });
  const fields = { ...ofFrontMatter, ...properties };
  const text = content.slice(span?.bodyStart ?? 0);
  const body = readBody(text);
  // The names of properties differ in case: `Tags`, `TAGS`.
  const valuesOf = (...properties: readonly string[]): Json[] =>
    properties.flatMap((property) =>
      Object.entries(fields).flatMap(([key, value]) => (key.toLowerCase() === property ? [value] : [])),
    );
  const first = (read: (value: Json) => string | null, ...properties: readonly string[]): string | null =>
    valuesOf(...properties)
      .map(read)
      .find((text) => text !== null) ?? null;
  const propertyLinks = strings(fields).flatMap((text) => (PROPERTY_LINK.test(text) ? linksIn(text) : []));
  const namedLinks = notesNamedPlainly(fields).map(({ target }): Link => ({ target }));
  return {
    title: first(name, 'title'),
    identity: first(name, 'id', 'uid'),
    project: first(linkedName, 'project'),
    category: first(linkedName, 'category'),
    type: first(linkedName, 'type'),
    tags: tagList([...valuesOf('tags', 'tag').flatMap(words), ...body.tags]),
    aliases: distinct(valuesOf('aliases', 'alias').flatMap(names), (text) => text).slice(
      0,
      NOTE_LIMITS.aliases,
    ),
    links: distinct([...propertyLinks, ...namedLinks, ...body.links], (link) => JSON.stringify(link)).slice(
      0,
      NOTE_LIMITS.links,
    ),
    blockIds: distinct(body.blockIds, (text) => text).slice(0, NOTE_LIMITS.blockIds),
    dates: [
      ...Object.entries(ofFrontMatter).flatMap(([key, value]) => dateField(key, value) ?? []),
      ...inlineDates(text),
    ],
    frontMatter: Object.fromEntries(
      Object.entries(fields).filter(([key]) => !EXTRACTED_FIELDS.includes(key.toLowerCase())),
    ),
    frontMatterProblem: problem,
  };
}

function readBody(body: string): InlineFindings & { blockIds: string[] } {
  const found = { links: [], tags: [], blockIds: [] as string[] };
  const references = linkDefinitions(body);
  const read = ({ content }: Token): void => {
    collect(content, found, references);
    const blockId = BLOCK_ID.exec(content.slice(-NOTE_LIMITS.nameLength))?.[1];
    if (blockId !== undefined) found.blockIds.push(blockId);
  };
  parseBlocks(parser, body, {
    keeps: (type) => type === 'inline',
    take: (tokens) => {
      tokens.forEach(read);
    },
    by: 'singly',
  });
  return found;
}

/** The dates in the fields with which a text begins. Those below its first sentence are of what the note is about. */
function inlineDates(body: string): DateField[] {
  const dates: DateField[] = [];
  for (let start = 0, lines = 0; start < body.length && lines < MAX_FIELD_LINES; lines++) {
    const end = body.indexOf('\n', start);
    const line = body.slice(start, Math.min(end === -1 ? body.length : end, start + MAX_FIELD_LENGTH));
    start = end === -1 ? body.length : end + 1;
    const text = line.replace(BEFORE_FIELD, '').trim();
    const field = /^(?:\[(?!\[)|\()/.test(text) ? text.slice(1, -1) : text;
    const [, property, value] = INLINE_FIELD.exec(field) ?? [];
    if (property === undefined && text !== '' && !NO_SENTENCE.test(line)) break;
    const date = property === undefined ? null : dateField(property, value!, true);
    if (date !== null) dates.push(date);
  }
  return dates;
}

function collect(text: string, found: InlineFindings, references?: References): void {
  parser.inline.parse(text, parser, { findings: found, linkReferences: references }, []);
}

function linksIn(text: string): Link[] {
  const found: InlineFindings = { links: [], tags: [] };
  collect(text, found);
  return found.links;
}

function strings(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(strings);
}

/** A name in NFC, so that comparisons do not depend on the Unicode form. */
function name(value: Json | undefined): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).trim().slice(0, NOTE_LIMITS.nameLength).toWellFormed().normalize('NFC');
  return text === '' ? null : text;
}

/** Reads a list, or one string of names separated by commas. */
function names(value: Json | undefined): string[] {
  // A list that is no YAML is text: `[a, b] c`.
  const text = name(value)?.replace(/^\[([^[\]]*)\].*$/s, '$1');
  const list = Array.isArray(value) ? value : (text?.split(',') ?? []);
  return list.map(name).filter((text) => text !== null);
}

/** Reads a list, or one string of tags separated by commas or spaces. */
function words(value: Json | undefined): string[] {
  return Array.isArray(value) ? names(value) : names(value).flatMap((text) => text.split(/\s+/));
}

function tagList(tags: readonly string[]): string[] {
  const plain = tags.map((tag) => tag.replace(/^#+/, '').trim().normalize('NFC')).filter((tag) => tag !== '');
  return distinct(plain, (tag) => tag.toLowerCase()).slice(0, NOTE_LIMITS.tags);
}

/** The name in a field such as `project: "[[Kitchen]]"`, which links to the note of the project `Kitchen`. */
function linkedName(value: Json | undefined): string | null {
  const text = name(value);
  if (text === null || !PROPERTY_LINK.test(text)) return text;
  const target = linksIn(text)[0]?.target ?? '';
  return target === '' ? null : target;
}

function distinct<T>(values: readonly T[], keyOf: (value: T) => string): T[] {
  return Array.from(Map.groupBy(values, keyOf).values(), ([first]) => first!);
}
