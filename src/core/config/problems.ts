import type { z } from 'zod';
import { nearest } from '../nearest.ts';
import type { Json } from '../types.ts';
import { isJsonMap, type JsonMap } from './document.ts';
import { describeConfig, expectedAt, formatPath, type PathStep, SETTINGS } from './keys.ts';
import { maskSecret } from './secrets.ts';

/** Says in one line each what the schema refused: where it stands, which key, what was expected and what is there. */
export function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  tree: JsonMap,
  placeOf: (path: readonly PathStep[]) => string,
): string[] {
  return issues.flatMap((issue) => {
    const path = issue.path.filter((step): step is PathStep => typeof step !== 'symbol');
    if (issue.code !== 'unrecognized_keys') return [`${placeOf(path)}: ${wrongValue(path, tree)}`];
    return issue.keys.map((key) => `${placeOf([...path, key])}: ${unknownKey(path, key)}`);
  });
}

function wrongValue(path: readonly PathStep[], tree: JsonMap): string {
  const found = valueAt(tree, path);
  const expected = expectedAt(path) ?? 'nothing';
  const name = formatPath(path);
  if (found === undefined) return `${name} is missing: expected ${expected}`;
  const shown = abridge(JSON.stringify(maskSecret(name, found)));
  const quotes = expected.startsWith('text') && typeof found === 'number' ? ' (put it in quotes)' : '';
  return `${name}: expected ${expected}, got ${shown}${quotes}`;
}

function unknownKey(section: readonly PathStep[], key: string): string {
  const meant = suggestKey(section, key);
  const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `unknown key ${abridge(formatPath([...section, key]))}${suggestion}`;
}

/** The nearest key of the same section; failing that, a setting whose last word or whole path is as written. */
function suggestKey(section: readonly PathStep[], key: string): string | undefined {
  const prefix = section.length === 0 ? '' : `${formatPath(section)}.`;
  const generic = prefix.replaceAll(/\[\d+\]/g, '[]');
  const siblings = describeConfig()
    .filter(({ path }) => path.startsWith(generic) && !/[.[]/.test(path.slice(generic.length)))
    .map(({ path }) => path.slice(generic.length));
  const sibling = nearest(key, siblings);
  if (sibling !== undefined) return prefix + sibling;
  const moved = SETTINGS.find(({ path }) => path.split('.').at(-1)?.toLowerCase() === key.toLowerCase());
  return (
    moved?.path ??
    nearest(
      prefix + key,
      SETTINGS.map(({ path }) => path),
    )
  );
}

function valueAt(tree: JsonMap, path: readonly PathStep[]): Json | undefined {
  let value: Json | undefined = tree;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else value = isJsonMap(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

const SHOWN = 60;

function abridge(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
