import type { z } from 'zod';
import { LociError } from '../core/errors.ts';
import { abridge } from '../core/text/abridge.ts';
import { closestWord } from '../core/text/closest-word.ts';
import type { Json } from '../core/types.ts';
import { type ConfigKey, CONFIG_KEYS, expectedAt, SETTINGS } from './keys.ts';
import { maskSecret } from './secrets.ts';
import { explainReplaced, replacedKey } from './replaced-keys.ts';
import { type SourceSettings, sourceSettings } from './sources-schema.ts';
import type { JsonMap } from '../core/json.ts';
import { formatPath, type KeyPath, valueAt } from '../core/json-path.ts';

/** Characters of a value that a message repeats. */
const MAX_SHOWN_LENGTH = 60;

export interface ConfigProblem {
  readonly path: KeyPath;
  /** Names the key, the expected value and the given one. */
  readonly message: string;
}

/** Explains the issues of a configuration, one line each. */
export function explainIssues(issues: readonly z.core.$ZodIssue[], tree: JsonMap): ConfigProblem[] {
  return issues.flatMap((issue): ConfigProblem[] => {
    const path = issue.path.filter((step) => typeof step !== 'symbol');
    if (issue.code === 'custom' && issue.params?.['explained'] === true)
      return [{ path, message: `${formatPath(path)}: ${issue.message}` }];
    if (issue.code !== 'unrecognized_keys') return [{ path, message: wrongValue(path, tree) }];
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(path, key) }));
  });
}

const ALL_KEYS_HINT = '`loci config show` lists every setting.';

/** The setting of that path. @throws LociError `invalid_input` that suggests what to write instead */
export function requireSetting(path: string): ConfigKey {
  const setting = SETTINGS.find((key) => key.path === path);
  if (setting !== undefined) return setting;
  const replaced = replacedKey(path);
  if (replaced !== undefined)
    throw new LociError('invalid_input', explainReplaced(path, replaced), {
      hint: ALL_KEYS_HINT,
    });
  const inside = SETTINGS.filter((key) => key.path.startsWith(`${path}.`)).map((key) => key.path);
  if (inside.length > 0)
    throw new LociError('invalid_input', `${path} is a section: ${inside.join(', ')}`, {
      hint: ALL_KEYS_HINT,
    });
  throw new LociError('invalid_input', unknownKey([], path), { hint: ALL_KEYS_HINT });
}

/**
 * Reads the settings of a source in the front matter of a skill.
 * @returns the settings, or a problem that explains to the owner of the skill why they are invalid
 */
export function readSourceSettings(
  settings: unknown,
): { readonly settings: SourceSettings } | { readonly problem: string } {
  // `sources[0]` is where the schema knows these keys.
  const tree: JsonMap = { sources: [settings as Json] };
  const parsed = sourceSettings.safeParse(settings);
  if (parsed.success) return { settings: parsed.data };
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['sources', 0, ...issue.path] }));
  const messages = explainIssues(issues, tree).map(({ message }) => message);
  return { problem: messages.join('; ').replaceAll('sources[0]', 'memorySource') };
}

function wrongValue(path: KeyPath, tree: JsonMap): string {
  const found = valueAt(tree, path);
  const expected = expectedAt(path) ?? 'nothing';
  const name = formatPath(path);
  if (found === undefined) return `${name} is missing: expected ${expected}`;
  const shown = abridge(JSON.stringify(maskSecret(name, found)), MAX_SHOWN_LENGTH);
  const quotes = expected.startsWith('text') && typeof found === 'number' ? ' (put it in quotes)' : '';
  return `${name}: expected ${expected}, got ${shown}${quotes}`;
}

function unknownKey(section: KeyPath, key: string): string {
  const suggested = suggestKey(section, key);
  const suggestion = suggested === undefined ? '' : `; did you mean ${suggested}?`;
  return `unknown key ${abridge(formatPath([...section, key]), MAX_SHOWN_LENGTH)}${suggestion}`;
}

/** The nearest key of the same section, else a setting that ends with the key, else the setting with the nearest path. */
function suggestKey(section: KeyPath, key: string): string | undefined {
  const prefix = section.length === 0 ? '' : `${formatPath(section)}.`;
  const pattern = prefix.replaceAll(/\[\d+\]/g, '[]');
  const siblings = CONFIG_KEYS.filter(
    ({ path }) => path.startsWith(pattern) && !/[.[]/.test(path.slice(pattern.length)),
  ).map(({ path }) => path.slice(pattern.length));
  const sibling = closestWord(key, siblings);
  if (sibling !== undefined) return prefix + sibling;
  const elsewhere = SETTINGS.find(({ path }) => path.split('.').at(-1)?.toLowerCase() === key.toLowerCase());
  return (
    elsewhere?.path ??
    closestWord(
      prefix + key,
      SETTINGS.map(({ path }) => path),
    )
  );
}
