import type { DocumentMap } from '../../config/sources-schema.ts';
import { LociError } from '../../core/errors.ts';
import { isJsonMap } from '../../core/json.ts';
import { dayText } from '../../core/time/whole-day.ts';
import type { Json } from '../../core/types.ts';
import type { DocumentProblem } from '../document.ts';
import { readTimestamp } from './timestamp.ts';
import { compileTemplate, hasPath, pathsOf, type Template, insertedText } from './template.ts';

/** Fields that must be text. */
const TEXT_FIELDS = ['text', 'title', 'project', 'url'] as const;
export const FIELDS = [...TEXT_FIELDS, 'id', 'tags', 'timestamp', 'completed'] as const;
export type Field = (typeof FIELDS)[number];
/** Fields that must differ between documents. */
const DISTINCT_FIELDS = ['id', 'text', 'timestamp', 'day'] as const;

/** Words that tools print for a completed item. */
export const DONE = /^(?:true|yes|y|1|x|done|completed?|closed|cancell?ed|finished)$/i;

/**
 * Returns a function that converts a printed value to an unchecked document. A field without a template is taken from the field of the same
 * name.
 * @throws LociError `invalid_config` that names the key of a bad template, or of a constant one for a field that must differ
 */
export function documentMapper(map: DocumentMap): (item: unknown) => unknown {
  for (const field of DISTINCT_FIELDS) assertNotConstant(`map.${field}`, map[field]);
  const templates = new Map<Field, Template>();
  for (const field of FIELDS)
    templates.set(field, compileTemplate(`map.${field}`, map[field] ?? `{{${field}}}`));
  const entries = map.metadata === undefined ? null : Object.entries(map.metadata);
  const metadata = entries?.map(
    ([name, templateText]) => [name, compileTemplate(`map.metadata.${name}`, templateText)] as const,
  );
  const day = map.day === undefined ? undefined : compileTemplate('map.day', map.day);
  return (item) => {
    if (!isJsonMap(item)) return item;
    const value = (field: Field): Json | undefined => templates.get(field)?.(item);
    return {
      id: value('id'),
      ...Object.fromEntries(TEXT_FIELDS.map((field) => [field, asText(value(field))])),
      tags: asTags(value('tags')),
      timestamp: insertedText(value('timestamp')).trim() === '' ? asDay(day?.(item)) : value('timestamp'),
      completed: asCompleted(value('completed')),
      metadata: metadata === undefined ? metadataOf(item) : applyAll(metadata, item),
    };
  };
}

function assertNotConstant(key: string, templateText: string | undefined): void {
  if (templateText === undefined || pathsOf(key, templateText).length > 0) return;
  throw new LociError(
    'invalid_config',
    `${key} is a constant, which makes all documents the same: ${templateText}`,
    {
      hint: `Write the name of a printed field between double braces: '{{${templateText}}}'.`,
    },
  );
}

function metadataOf(item: { readonly [key: string]: Json }): Json | undefined {
  return Object.hasOwn(item, 'metadata') ? item['metadata'] : undefined;
}

function applyAll(
  templates: readonly (readonly [string, Template])[],
  item: { readonly [key: string]: Json },
): { [key: string]: Json } {
  return Object.fromEntries(
    templates.flatMap(([name, template]): [string, Json][] => {
      const value = template(item) ?? null;
      return value === null ? [] : [[name, Array.isArray(value) ? insertedText(value) : value]];
    }),
  );
}

/** The day of a time, without its time of day. What is no time is returned as it is, to be reported. */
function asDay(value: Json | undefined): Json | undefined {
  const printed = typeof value === 'string' || typeof value === 'number' ? readTimestamp(value) : null;
  return printed === null ? value : dayText(printed.day ?? printed.time);
}

function asText(value: Json | undefined): Json | undefined {
  const isText = Array.isArray(value) || typeof value === 'number' || typeof value === 'boolean';
  return isText ? insertedText(value) : value;
}

function asTags(value: Json | undefined): Json | undefined {
  if (!Array.isArray(value)) return asText(value);
  // Labels that are objects are not changed here: `readDocument` replaces them by their names.
  return value.map((each) => (isJsonMap(each) ? each : insertedText(each)));
}

/** `true` for the words that tools print for a completed item, `false` for any other word. */
function asCompleted(value: Json | undefined): Json | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  const word = insertedText(value).trim();
  return word === '' ? null : DONE.test(word);
}

/** A longer text without braces is not a field name whose braces were forgotten. */
const FIELD_NAME = /^[\w$-]{1,64}(?:\.[\w$-]{1,64}){0,8}$/;

/** Finds likely mistakes in a map: paths that no document has, and field names without braces. */
export class MapChecker {
  /** Key of the settings → paths that no document has had so far. */
  readonly #unmatched = new Map<string, Set<string>>();
  /** Key of the settings → a constant that may be a field name. */
  readonly #constants = new Map<string, string>();
  /** Keys whose constant is the name of a field. */
  readonly #mistaken = new Set<string>();
  #documents = 0;

  /** @throws LociError `invalid_config` that names the key of a bad template */
  constructor({ items: _, metadata = {}, ...fields }: DocumentMap) {
    const entries = Object.entries(metadata).map(
      ([name, templateText]) => [`metadata.${name}`, templateText] as const,
    );
    for (const [field, templateText] of [...Object.entries(fields), ...entries]) {
      const key = `map.${field}`;
      const paths = pathsOf(key, templateText);
      if (paths.length > 0) this.#unmatched.set(key, new Set(paths));
      else if (FIELD_NAME.test(templateText.trim())) this.#constants.set(key, templateText.trim());
    }
  }

  /** Takes a printed document into account. */
  add(value: unknown): void {
    if (!isJsonMap(value)) return;
    this.#documents++;
    for (const [key, paths] of this.#unmatched) {
      for (const path of paths) if (hasPath(value, path)) paths.delete(path);
      if (paths.size === 0) this.#unmatched.delete(key);
    }
    for (const [key, name] of this.#constants) if (hasPath(value, name)) this.#mistaken.add(key);
  }

  /** At most one for each key. */
  problems(): DocumentProblem[] {
    if (this.#documents === 0) return [];
    const details = [
      ...[...this.#unmatched].map(([key, paths]) => `${key}: no document has ${[...paths].join(', ')}`),
      ...[...this.#mistaken].map((key) => {
        const name = this.#constants.get(key) ?? '';
        return `${key}: every document gets the text ${JSON.stringify(name)}; write '{{${name}}}' for the value of that field`;
      }),
    ];
    return details.map((detail) => ({ index: null, id: null, detail, skipped: false }));
  }
}
