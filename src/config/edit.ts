import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, type Document } from 'yaml';
import { LociError, messageOf } from '../core/errors.ts';
import { describeFileError, errorCode } from '../core/fs/file-errors.ts';
import { makePrivateFolder } from '../core/fs/make-folder.ts';
import { replaceFile } from '../core/fs/replace-file.ts';
import type { Json } from '../core/types.ts';
import { type ConfigDocument, parseConfig } from './document.ts';
import { parseSetting } from './environment.ts';
import type { ConfigKey } from './keys.ts';
import { CONFIG_FILE, configHome, type ConfigOptions, readConfigText, resolveConfig } from './load.ts';
import { explainIssues, settingNamed } from './problems.ts';
import { configSchema } from './schema.ts';
import { type JsonMap, setAt, valueAt } from './tree.ts';

export interface ConfigChange {
  readonly path: string;
  /** As it now stands in the file. */
  readonly value: Json;
  /** `loci.yaml:12`. */
  readonly origin: string;
  readonly file: string;
  /** The variable of the environment that hides the new value from this shell, if there is one. */
  readonly overriddenBy: string | undefined;
}

/**
 * Writes one setting into `loci.yaml`, comments and all else kept, and makes the file when there is none. A text is read
 * as the shell gives it: `20`, `true`, `5s`, a list as YAML or JSON.
 * @throws LociError `invalid_input` for an unknown key or a wrong value; `invalid_config` when the file is wrong already;
 *   `conflict` when another process changed it meanwhile; `unreadable` or `store_full` when it cannot be written.
 *   The file is then as it was.
 */
export async function configSet(
  path: string,
  value: Json,
  options: ConfigOptions = {},
): Promise<ConfigChange> {
  const key = settingNamed(path);
  const parsed = typeof value === 'string' ? parseSetting(key, value) : value;
  return change(key, options, () => ({
    value: parsed,
    apply: (yaml, steps) => yaml.setIn(steps, parsed),
  }));
}

/**
 * Adds an entry to a list of `loci.yaml`, the other entries and their comments kept; one that is there already is not
 * added again.
 * @throws LociError as `configSet`
 */
export async function configAppend(
  path: string,
  entry: Json,
  options: ConfigOptions = {},
): Promise<ConfigChange> {
  return change(settingNamed(path), options, ({ raw }) => {
    const held = valueAt(raw, path.split('.'));
    const list = Array.isArray(held) ? held : [];
    if (list.some((each) => isDeepStrictEqual(each, entry))) return { value: list, apply: () => undefined };
    return {
      value: [...list, entry],
      apply: (yaml, steps) => (list.length > 0 ? yaml.addIn(steps, entry) : yaml.setIn(steps, [entry])),
    };
  });
}

/**
 * Takes out the entries of a list of `loci.yaml` that are meant, the others and their comments kept.
 * @throws LociError as `configSet`
 */
export async function configRemove(
  path: string,
  isMeant: (entry: Json) => boolean,
  options: ConfigOptions = {},
): Promise<ConfigChange> {
  return change(settingNamed(path), options, ({ raw }) => {
    const held = valueAt(raw, path.split('.'));
    const list = Array.isArray(held) ? held : [];
    const places = list.flatMap((entry, i) => (isMeant(entry) ? [i] : []));
    return {
      value: list.filter((_, i) => !places.includes(i)),
      apply: (yaml, steps) => places.toReversed().forEach((place) => yaml.deleteIn([...steps, place])),
    };
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
  refuseWrongValue(key.path, edit.value);
  const after = editedText(document, key, edit, home);
  try {
    makePrivateFolder(home);
  } catch (error) {
    unwritable(file)(error);
  }
  if ((await readConfigText(file)) !== before) {
    throw new LociError('conflict', `${file} was changed by another process; nothing was written`);
  }
  await replaceFile(file, after, 0o600).catch(unwritable(file));
  const origin = resolveConfig(parseConfig(after, file), home, {}).origins.get(key.path) ?? CONFIG_FILE;
  return { path: key.path, value: edit.value, origin, file, overriddenBy: overridingVariable(key, options) };
}

function overridingVariable(key: ConfigKey, options: ConfigOptions): string | undefined {
  const { env } = key;
  return env !== null && (options.env ?? process.env)[env] ? env : undefined;
}

function refuseWrongValue(path: string, value: Json): void {
  const tree: JsonMap = {};
  setAt(tree, path.split('.'), value);
  const result = configSchema.safeParse(tree);
  if (result.success) return;
  const lines = explainIssues(result.error.issues, tree).map(({ message }) => message);
  throw new LociError('invalid_input', lines.join('\n'));
}

/** The whole text after the change, having proved that it says what was asked and nothing else differently. */
function editedText(document: ConfigDocument, key: ConfigKey, edit: Edit, home: string): string {
  const file = join(home, CONFIG_FILE);
  const before = resolveConfig(document, home, {});
  const steps = key.path.split('.');
  try {
    fillEmptySections(document.yaml, steps);
    edit.apply(document.yaml, steps);
  } catch (error) {
    throw byHand(file, key.path, messageOf(error));
  }
  const edited = document.yaml.toString({ lineWidth: 0 });
  const expected: JsonMap = {};
  setAt(expected, steps, edit.value);
  const wanted = resolveConfig({ ...document, raw: expected }, home, {}).written.get(key.path);
  const after = resolveConfig(parseConfig(edited, file), home, {});
  for (const [path, now] of after.written) {
    const due = path === key.path ? wanted : before.written.get(path);
    if (!isDeepStrictEqual(now, due)) throw byHand(file, key.path, `${path} would change`);
  }
  return edited;
}

/** A section whose keys are all commented out holds nothing, where the editor of the document wants a map. */
function fillEmptySections(yaml: Document, steps: readonly string[]): void {
  for (let length = 1; length < steps.length; length++) {
    const section = yaml.getIn(steps.slice(0, length), true);
    if (!isScalar(section) || section.value !== null) continue;
    const map = yaml.createNode({});
    if (isMap(map)) map.commentBefore = section.comment ?? section.commentBefore ?? null;
    yaml.setIn(steps.slice(0, length), map);
  }
}

function byHand(file: string, path: string, why: string): LociError {
  return new LociError('invalid_config', `${path} cannot be set in ${file}: ${why}`, {
    hint: 'Change it in the file by hand: anchors or aliases there tie several keys together.',
  });
}

function unwritable(file: string): (error: unknown) => never {
  return (error) => {
    const full = errorCode(error) === 'ENOSPC';
    throw new LociError(
      full ? 'store_full' : 'unreadable',
      `${file} cannot be written: ${describeFileError(error)}`,
      {
        cause: error,
        ...(full ? {} : { hint: 'Check that you may write there.' }),
      },
    );
  };
}
