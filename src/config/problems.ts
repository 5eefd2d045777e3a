import type { z } from 'zod';
import { LociError } from '../core/errors.ts';
import { nearest } from '../core/text/nearest.ts';
import { type ConfigKey, describeConfig, expectedAt, SETTINGS } from './keys.ts';
import { maskSecret } from './secrets.ts';
import { formatPath, type JsonMap, type PathStep, valueAt } from './tree.ts';

export interface Problem {
  /** What is wrong, or what is missing or unknown. */
  readonly path: readonly PathStep[];
  /** Names the key, what was expected and what is there. */
  readonly message: string;
}

/** Says in one line each what the schema refused. */
export function explainIssues(issues: readonly z.core.$ZodIssue[], tree: JsonMap): Problem[] {
  return issues.flatMap((issue): Problem[] => {
    const path = issue.path.filter((step): step is PathStep => typeof step !== 'symbol');
    if (issue.code === 'custom' && issue.params?.['said'] === true)
      return [{ path, message: `${formatPath(path)}: ${issue.message}` }];
    if (issue.code !== 'unrecognized_keys') return [{ path, message: wrongValue(path, tree) }];
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(path, key) }));
  });
}

const ALL_KEYS = '`loci config show` lists every setting.';

/** The setting of that path. @throws LociError `invalid_input` that suggests the nearest */
export function settingNamed(path: string): ConfigKey {
  const setting = SETTINGS.find((key) => key.path === path);
  if (setting !== undefined) return setting;
  const inside = SETTINGS.filter((key) => key.path.startsWith(`${path}.`)).map((key) => key.path);
  if (inside.length > 0)
    throw new LociError('invalid_input', `${path} is a section: ${inside.join(', ')}`, { hint: ALL_KEYS });
  throw new LociError('invalid_input', unknownKey([], path), { hint: ALL_KEYS });
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

const SHOWN = 60;

function abridge(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
