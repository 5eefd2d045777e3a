import type { Json, Metadata } from '../../../core/types.ts';

/** YAML aliases can make many values of a few lines. */
const MAX_PROPERTIES = 200;
/** UTF-16 code units. */
const MAX_VALUE_LENGTH = 500;

/** The properties in a note's front matter as lines: `birthday: 1988-03-17`, `phones.home: 123`, `guests: Ann, Bo`. */
export function propertiesOf({ frontMatter }: Metadata): string[] {
  return flattened('', frontMatter ?? null).slice(0, MAX_PROPERTIES);
}

function flattened(name: string, value: Json): string[] {
  if (value === null || value === '') return [];
  if (Array.isArray(value) && value.every(isPlain)) {
    const items = value.filter((item) => item !== null).join(', ');
    return items === '' ? [] : [line(name, items)];
  }
  if (isPlain(value)) return name === '' ? [] : [line(name, String(value))];
  const prefix = name === '' ? '' : `${name}.`;
  return Object.entries(value).flatMap(([key, inner]) => flattened(prefix + key, inner));
}

function isPlain(value: Json): value is string | number | boolean | null {
  return value === null || typeof value !== 'object';
}

function line(name: string, text: string): string {
  return `${name}: ${text.slice(0, MAX_VALUE_LENGTH)}`.replaceAll(/\s+/g, ' ').trim().toWellFormed();
}
