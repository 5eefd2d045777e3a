import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, type Document } from 'yaml';
import { LociError, messageOf } from '../core/errors.ts';
import { describeFileError, systemErrorCode } from '../core/fs/file-errors.ts';
import { makePrivateFolder, replaceFile } from '../core/fs/files.ts';
import type { Json } from '../core/types.ts';
import { type ConfigDocument, parseConfig } from './document.ts';
import { parseSetting } from './environment.ts';
import { CONFIG_KEYS, type ConfigKey } from './keys.ts';
import { CONFIG_FILE, configHome, type ConfigOptions, readConfigText, resolveConfig } from './load.ts';
import { explainIssues, requireSetting } from './problems.ts';
import { pathsOfSetting } from './replaced-keys.ts';
import { configSchema } from './schema.ts';
import { isJsonMap, type JsonMap } from '../core/json.ts';
import { setAt, valueAt } from '../core/json-path.ts';

interface ConfigChange {
  readonly path: string;
  /** As it is in the file now. */
  readonly value: Json;
  /** `loci.yaml:12`. */
  readonly origin: string;
  readonly file: string;
  /** The environment variable that overrides the new value in this shell, if any. */
  readonly overriddenBy: string | undefined;
}

/**
 * Writes one setting into `loci.yaml`, and changes nothing else in it. Creates the file if it is missing.
 * A text is read as a shell gives it: `20`, `true`, `5s`, a list as YAML or JSON.
 * @throws LociError `invalid_input` for an unknown key or a wrong value; `invalid_config` if the file is already invalid;
 *   `conflict` if another process changed it meanwhile; `unreadable` or `store_full` if it cannot be written.
 *   The file is unchanged then.
 */
export async function configSet(
  path: string,
  value: Json,
  options: ConfigOptions = {},
): Promise<ConfigChange> {
  const key = requireSetting(path);
  const parsed = typeof value === 'string' ? parseSetting(key, value) : value;
  return change(key, options, () => ({
    value: parsed,
    apply: (yaml, steps) => yaml.setIn(steps, parsed),
  }));
}

/**
 * Adds an entry to a list of `loci.yaml`, unless the list has it. The other entries and their comments stay as they are.
 * @throws LociError as `configSet`
 */
export async function configAppend(
  path: string,
  entry: Json,
  options: ConfigOptions = {},
): Promise<ConfigChange> {
  return change(requireSetting(path), options, ({ raw }) => {
    const [list = [], ...others] = listsOf(raw, path).map(({ entries }) => entries);
    const all = [...list, ...others.flat()];
    if (all.some((existing) => isDeepStrictEqual(existing, entry)))
      return { value: all, apply: () => undefined };
    return {
      value: [...list, entry, ...others.flat()],
      apply: (yaml, steps) => (list.length > 0 ? yaml.addIn(steps, entry) : yaml.setIn(steps, [entry])),
    };
  });
}

/**
 * Removes the matching entries of a list of `loci.yaml`. The others and their comments stay as they are.
 * @throws LociError as `configSet`
 */
export async function configRemove(
  path: string,
  matches: (entry: Json) => boolean,
  options: ConfigOptions = {},
): Promise<ConfigChange> {
  return change(requireSetting(path), options, ({ raw }) => {
    const lists = listsOf(raw, path);
    const matching = lists.flatMap(({ steps, entries }) =>
      entries.flatMap((entry, i) => (matches(entry) ? [[...steps, i]] : [])),
    );
    return {
      value: lists.flatMap(({ entries }) => entries.filter((entry) => !matches(entry))),
      apply: (yaml) => matching.toReversed().forEach((position) => yaml.deleteIn(position)),
    };
  });
}

/**
 * Sets keys of the matching entries of a list of `loci.yaml`. The rest of them, the others and their comments stay as they are.
 * @throws LociError as `configSet`
 */
export async function configUpdate(
  path: string,
  matches: (entry: Json) => boolean,
  values: JsonMap,
  options: ConfigOptions = {},
): Promise<ConfigChange> {
  return change(requireSetting(path), options, ({ raw }) => {
    const lists = listsOf(raw, path);
    const updated = (entry: Json): Json =>
      isJsonMap(entry) && matches(entry) ? { ...entry, ...values } : entry;
    const positions = lists.flatMap(({ steps, entries }) =>
      entries.flatMap((entry, i) => (isJsonMap(entry) && matches(entry) ? [[...steps, i]] : [])),
    );
    return {
      value: lists.flatMap(({ entries }) => entries.map(updated)),
      apply: (yaml) => {
        for (const position of positions)
          for (const [key, value] of Object.entries(values)) yaml.setIn([...position, key], value);
      },
    };
  });
}

/** The entries of a list at its path, then those at the keys that were renamed to it. */
function listsOf(
  raw: JsonMap,
  path: string,
): readonly { readonly steps: readonly string[]; readonly entries: readonly Json[] }[] {
  return pathsOfSetting(path).map((steps) => {
    const value = valueAt(raw, steps);
    return { steps, entries: Array.isArray(value) ? value : [] };
  });
}

interface Edit {
  /** The setting after the edit. */
  readonly value: Json;
  readonly apply: (yaml: Document, steps: readonly string[]) => void;
}

async function change(
  key: ConfigKey,
  options: ConfigOptions,
  plan: (document: ConfigDocument) => Edit,
): Promise<ConfigChange> {
  const home = configHome(options);
  const file = join(home, CONFIG_FILE);
  const before = await readConfigText(file);
  const document = parseConfig(before ?? '', file);
  const edit = plan(document);
  assertValidValue(key, edit.value);
  const after = editedText(document, key, edit, home);
  try {
    makePrivateFolder(home);
  } catch (error) {
    throw unwritable(file, error);
  }
  if ((await readConfigText(file)) !== before) {
    throw new LociError('conflict', `${file} was changed by another process; nothing was written`);
  }
  await replaceFile(file, after, 0o600).catch((error: unknown) => {
    throw unwritable(file, error);
  });
  const origin = resolveConfig(parseConfig(after, file), home, {}).origins.get(key.path) ?? CONFIG_FILE;
  return { path: key.path, value: edit.value, origin, file, overriddenBy: overridingVariable(key, options) };
}

function overridingVariable(key: ConfigKey, options: ConfigOptions): string | undefined {
  const { env: variable } = key;
  return variable !== null && (options.env ?? process.env)[variable] ? variable : undefined;
}

function assertValidValue(key: ConfigKey, value: Json): void {
  const { path } = key;
  const tree: JsonMap = {};
  setAt(tree, path.split('.'), structuredClone(value));
  const result = configSchema.safeParse(tree);
  if (result.success) return;
  const lines = explainIssues(result.error.issues, tree).map(({ message }) => message);
  throw new LociError('invalid_input', lines.join('\n'), listHint(key, value));
}

/** One or more words with commas between them, which a user may take for a list. */
const WORDS = /^\s*[\w.-]+(\s*,\s*[\w.-]+)*\s*$/;

/** How to write on the command line what was given as plain text for a list. */
function listHint({ type, path }: ConfigKey, value: Json): { readonly hint?: string } {
  const hasEntries = CONFIG_KEYS.some((key) => key.path.startsWith(`${path}[].`));
  if (type !== 'list' || hasEntries || typeof value !== 'string') return {};
  const words = WORDS.test(value) ? value.split(',').map((word) => word.trim()) : ['first', 'second'];
  return { hint: `Write a list in brackets: \`loci config set ${path} '[${words.join(', ')}]'\`.` };
}

/** The text of the whole file after the edit. Checks that exactly the edited setting has changed. */
function editedText(document: ConfigDocument, key: ConfigKey, edit: Edit, home: string): string {
  const file = join(home, CONFIG_FILE);
  const before = resolveConfig(document, home, {});
  const steps = key.path.split('.');
  try {
    fillEmptySections(document.yaml, steps);
    edit.apply(document.yaml, steps);
  } catch (error) {
    throw notEditable(file, key.path, messageOf(error));
  }
  const edited = document.yaml.toString({ lineWidth: 0 });
  const expected: JsonMap = {};
  setAt(expected, steps, edit.value);
  const expectedValue = resolveConfig({ ...document, raw: expected }, home, {}).written.get(key.path);
  const after = resolveConfig(parseConfig(edited, file), home, {});
  for (const [path, value] of after.written) {
    const valueToExpect = path === key.path ? expectedValue : before.written.get(path);
    if (!isDeepStrictEqual(value, valueToExpect)) throw notEditable(file, key.path, `${path} would change`);
  }
  return edited;
}

/** Turns empty sections above a key into maps, because only maps can be edited. A section is empty if all of its keys are comments. */
function fillEmptySections(yaml: Document, steps: readonly string[]): void {
  for (let length = 1; length < steps.length; length++) {
    const section = yaml.getIn(steps.slice(0, length), true);
    if (!isScalar(section) || section.value !== null) continue;
    const map = yaml.createNode({});
    if (isMap(map)) map.commentBefore = section.comment ?? section.commentBefore ?? null;
    yaml.setIn(steps.slice(0, length), map);
  }
}

function notEditable(file: string, path: string, why: string): LociError {
  return new LociError('invalid_config', `${path} cannot be set in ${file}: ${why}`, {
    hint: 'Edit the file by hand: it has anchors or aliases that tie several keys together.',
  });
}

function unwritable(file: string, error: unknown): LociError {
  const isFull = systemErrorCode(error) === 'ENOSPC';
  return new LociError(
    isFull ? 'store_full' : 'unreadable',
    `${file} cannot be written: ${describeFileError(error)}`,
    { cause: error, ...(isFull ? {} : { hint: 'Check that you may write there.' }) },
  );
}
