import type { DocumentMap } from '../../config/sources-schema.ts';
import { LociError } from '../../core/errors.ts';
import type { Json } from '../../core/types.ts';
import { compileTemplate, placesOf, type Template, textOf } from './template.ts';

/** What of a document is text and nothing else. */
const TEXTS = ['text', 'title', 'project', 'url'] as const;
const FIELDS = [...TEXTS, 'id', 'tags', 'timestamp', 'completed'] as const;
type Field = (typeof FIELDS)[number];
/** What is never the same for all documents. */
const OF_EACH = ['id', 'text', 'timestamp'] as const;

const DONE = /^(?:true|yes|y|1|x|done|completed?|closed|cancell?ed|finished)$/i;

/**
 * What makes a document of a value that a command printed, before it is checked. A field without a template is the
 * value's own field of that name.
 * @throws LociError `invalid_config` that names the key of a bad template, or of one that is the same for all documents
 *   where that makes no sense
 */
export function documentMapper(map: DocumentMap): (item: unknown) => unknown {
  for (const field of OF_EACH) refuseConstant(`map.${field}`, map[field]);
  const templates = new Map<Field, Template>();
  for (const field of FIELDS)
    templates.set(field, compileTemplate(`map.${field}`, map[field] ?? `{{${field}}}`));
  const entries = map.metadata === undefined ? null : Object.entries(map.metadata);
  const metadata = entries?.map(
    ([name, written]) => [name, compileTemplate(`map.metadata.${name}`, written)] as const,
  );
  return (item) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    const own = item as { readonly [key: string]: Json };
    const value = (field: Field): Json | undefined => templates.get(field)?.(own);
    return {
      id: value('id'),
      ...Object.fromEntries(TEXTS.map((field) => [field, asText(value(field))])),
      tags: asTags(value('tags')),
      timestamp: value('timestamp'),
      completed: asCompleted(value('completed')),
      metadata: metadata === undefined ? ownMetadata(own) : mapped(metadata, own),
    };
  };
}

function refuseConstant(key: string, written: string | undefined): void {
  if (written === undefined || placesOf(key, written).length > 0) return;
  throw new LociError('invalid_config', `${key} would be the same for all documents: ${written}`, {
    hint: `Names of what is printed stand between double braces: '{{${written}}}'.`,
  });
}

function ownMetadata(item: { readonly [key: string]: Json }): Json | undefined {
  return Object.hasOwn(item, 'metadata') ? item['metadata'] : undefined;
}

function mapped(
  templates: readonly (readonly [string, Template])[],
  item: { readonly [key: string]: Json },
): { [key: string]: Json } {
  return Object.fromEntries(
    templates.flatMap(([name, template]): [string, Json][] => {
      const value = template(item) ?? null;
      return value === null ? [] : [[name, Array.isArray(value) ? textOf(value) : value]];
    }),
  );
}

function asText(value: Json | undefined): Json | undefined {
  const isText = Array.isArray(value) || typeof value === 'number' || typeof value === 'boolean';
  return isText ? textOf(value) : value;
}

function asTags(value: Json | undefined): Json | undefined {
  if (!Array.isArray(value)) return asText(value);
  // Of labels that are objects their names are taken where documents are checked.
  return value.map((each) => (isObject(each) ? each : textOf(each)));
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Words that tools write for what is done; any other word is what is not. */
function asCompleted(value: Json | undefined): Json | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  const word = textOf(value).trim();
  return word === '' ? null : DONE.test(word);
}
