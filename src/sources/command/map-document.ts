import type { DocumentMap } from '../../core/config/sources-schema.ts';
import type { Json } from '../../core/types.ts';
import { compileTemplate, type Template, textOf } from './template.ts';

/** What of a document is text and nothing else. */
const TEXTS = ['text', 'title', 'project', 'url'] as const;
const FIELDS = [...TEXTS, 'id', 'tags', 'timestamp', 'completed'] as const;
type Field = (typeof FIELDS)[number];

const DONE = /^(?:true|yes|y|1|x|done|completed?|closed|cancell?ed|finished)$/i;

/**
 * What makes a document of a value that a command printed, before it is checked. A field without a template is the
 * value's own field of that name.
 * @throws LociError `invalid_config` that names the key of a bad template
 */
export function documentMapper(map: DocumentMap): (item: unknown) => unknown {
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
  if (Array.isArray(value)) return value.map(textOf);
  return asText(value);
}

/** Words that tools write for what is done; any other word is what is not. */
function asCompleted(value: Json | undefined): Json | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  const word = textOf(value).trim();
  return word === '' ? null : DONE.test(word);
}
