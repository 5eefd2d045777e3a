import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { LociError } from '../core/errors.ts';
import { describeFileError, systemErrorCode } from '../core/fs/file-errors.ts';
import { readRegularFile } from '../core/fs/files.ts';
import type { Json } from '../core/types.ts';
import { type ConfigDocument, parseConfig } from './document.ts';
import { unusedEmbeddingSettings } from './embedding-schema.ts';
import { type Override, readEnvironment } from './environment.ts';
import { PATH_KEYS, SETTINGS } from './keys.ts';
import { expandHome, resolvePaths } from './paths.ts';
import { explainIssues, requireSetting } from './problems.ts';
import { explainReplaced, type ReplacedKeyUse, takeReplacedKeys } from './replaced-keys.ts';
import { type Config, configSchema } from './schema.ts';
import { isJsonMap, parseJson, type JsonMap } from '../core/json.ts';
import { formatPath, type KeyPath, setAt, valueAt } from '../core/json-path.ts';

export const CONFIG_FILE = 'loci.yaml';
const MAX_FILE_BYTES = 1_000_000;

/** Where a host program keeps its vaults and its sources. Those that it has not are in loci.yaml. */
export type SettingsPlaces = Readonly<Partial<Record<'vaults' | 'sources', string>>>;

/** The effective settings, and where each comes from. */
export interface LoadedConfig {
  readonly values: Config;
  /** Path of a setting → `default`, `loci.yaml:12` or `env LOCI_SEARCH_LIMIT`. */
  readonly origins: ReadonlyMap<string, string>;
  /** Path of a setting → its value as it was written (`5s`), but with absolute paths. */
  readonly written: ReadonlyMap<string, Json>;
  /** The folder of the configuration and, by default, of the store. */
  readonly home: string;
  /** The configuration file, whether it exists or not. */
  readonly file: string;
  /** Where a host program keeps settings that override the file; `null` without any. */
  readonly hostPlace: string | null;
  readonly places: SettingsPlaces;
  /** Sentences about variables and keys that are ignored, or have another name now. */
  readonly warnings: readonly string[];
}

export interface ConfigOptions {
  /** The default is `LOCI_HOME`, then `~/.loci`. */
  readonly home?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Where relative paths in the environment start; by default at the current folder. */
  readonly cwd?: string;
  /** Settings that a host program has for Loci. They override the file, and the environment overrides them. */
  readonly hostSettings?: HostSettings;
}

export interface HostSettings {
  readonly tree: JsonMap;
  /** Where the program keeps them, for messages: `plugins.entries.memory-loci.config`. */
  readonly place: string;
  /** Folders of skills that are added to the default ones. Absolute. */
  readonly skillFolders?: readonly string[];
}

/**
 * Reads `loci.yaml` of the home folder, applies the environment and fills in the defaults.
 * @throws LociError `invalid_config` that names each wrong key with its line, or `unreadable`
 */
export async function loadConfig(options: ConfigOptions = {}): Promise<LoadedConfig> {
  const env = options.env ?? process.env;
  const home = configHome(options);
  const file = join(home, CONFIG_FILE);
  const document = parseConfig((await readConfigText(file)) ?? '', file);
  const hostSettings = options.hostSettings ?? hostSettingsIn(env);
  return resolveConfig(document, home, env, { ...options, ...(hostSettings && { hostSettings }) });
}

const hostSettingsSchema = z.object({
  tree: z.custom<JsonMap>(isJsonMap),
  place: z.string(),
  skillFolders: z.array(z.string()).exactOptional(),
});

/** The variable with which a host program passes `HostSettings` to a command, as JSON. */
const HOST_SETTINGS_VARIABLE = 'LOCI_HOST_SETTINGS';

/** @throws LociError `invalid_config` for a value that no host program has written */
function hostSettingsIn(env: NodeJS.ProcessEnv): HostSettings | undefined {
  const text = env[HOST_SETTINGS_VARIABLE] ?? '';
  if (text === '') return undefined;
  const parsed = hostSettingsSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new LociError('invalid_config', `${HOST_SETTINGS_VARIABLE} is not what a host program passes`, {
    hint: 'Remove the variable. Settings are in loci.yaml.',
  });
}

/** The absolute path of the home folder: the given one, else `LOCI_HOME`, else `~/.loci`. */
export function configHome(options: ConfigOptions): string {
  return resolve(expandHome(options.home ?? ((options.env ?? process.env)['LOCI_HOME'] || '~/.loci')));
}

/**
 * The text of a configuration file; `undefined` if there is none.
 * @throws LociError `invalid_config` for anything but a UTF-8 file of at most 1 MB, or `unreadable`
 */
export async function readConfigText(file: string): Promise<string | undefined> {
  const bytes = await readRegularFile(file, MAX_FILE_BYTES).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw unreadableConfig(file, error);
  });
  if (bytes === undefined) return undefined;
  if (bytes === 'folder')
    throw new LociError('unreadable', `${file} cannot be read: it is a folder, not a file`, {
      hint: 'The settings must be a file of this name. Move the folder away.',
    });
  if (bytes === 'special')
    throw new LociError('invalid_config', `${file} is not a regular file`, {
      hint: 'The settings must be a file of this name, or a link to one. Move the other thing away.',
    });
  if (bytes === 'too large')
    throw new LociError('invalid_config', `${file} is larger than ${String(MAX_FILE_BYTES / 1e6)} MB`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LociError('invalid_config', `${file} is not UTF-8 text`);
  }
}

function unreadableConfig(file: string, cause: unknown): LociError {
  const home = dirname(file);
  if (systemErrorCode(cause) === 'ENOTDIR') {
    const hint = 'Name a folder with LOCI_HOME or --home. It need not exist.';
    return new LociError('unreadable', `the home folder ${home} is a file, or is below one`, {
      hint,
      cause,
    });
  }
  const hint = 'Check that you may read it, or name another home folder with LOCI_HOME or --home.';
  return new LociError('unreadable', `${file} cannot be read: ${describeFileError(cause)}`, { hint, cause });
}

/** Merges a parsed file, the environment and the defaults. @throws LociError `invalid_config` */
export function resolveConfig(
  document: ConfigDocument,
  home: string,
  env: NodeJS.ProcessEnv,
  { cwd = process.cwd(), hostSettings }: Pick<ConfigOptions, 'cwd' | 'hostSettings'> = {},
): LoadedConfig {
  const file = join(home, CONFIG_FILE);
  const { overrides, warnings } = readEnvironment(env);
  const raw = structuredClone(document.raw);
  if (hostSettings !== undefined) override(raw, structuredClone(hostSettings.tree));
  const replaced = takeReplacedKeys(raw);
  const tree = settingsTree(raw, overrides, { home, cwd });
  const settingPlace = (path: KeyPath, fileName: string): string =>
    isSetIn(hostSettings?.tree, path)
      ? `${hostSettings!.place}.${formatPath(path)}`
      : `${fileName}:${document.lineOf(path)}`;
  const placeOf = (path: KeyPath): string =>
    overriding(overrides, path)?.variable ?? settingPlace(writtenPath(path, replaced), file);
  const fileOf = (path: KeyPath): string =>
    isSetIn(hostSettings?.tree, writtenPath(path, replaced)) ? hostSettings!.place : CONFIG_FILE;
  const parsed = configSchema.safeParse(tree);
  if (!parsed.success) {
    const faults = explainIssues(parsed.error.issues, tree);
    throw new LociError(
      'invalid_config',
      faults.map(({ path, message }) => `${placeOf(path)}: ${message}`).join('\n'),
      { hint: hintOf(faults.map(({ path }) => overriding(overrides, path)?.variable ?? fileOf(path))) },
    );
  }
  const origins = new Map<string, string>();
  const written = new Map<string, Json>();
  for (const { path } of SETTINGS) {
    const steps = path.split('.');
    written.set(path, valueAt(tree, steps) ?? null);
    const variable = overriding(overrides, steps)?.variable;
    const isInFile = valueAt(raw, steps) !== undefined;
    const inFile = isInFile ? settingPlace(writtenPath(steps, replaced), CONFIG_FILE) : 'default';
    origins.set(path, variable === undefined ? inFile : `env ${variable}`);
  }
  const { skills } = parsed.data;
  const ignored = replaced.map(
    (use) => `${settingPlace(use.path, file)}: ${explainReplaced(formatPath(use.path), use.replaced)}`,
  );
  const unused = [...unusedEmbeddingSettings(parsed.data.embedding)].map(
    ([path, sentence]) => `${placeOf(path.split('.'))}: ${sentence}`,
  );
  return {
    values: {
      ...parsed.data,
      home,
      skills:
        origins.get('skills') === 'default' && hostSettings?.skillFolders !== undefined
          ? [...skills, ...hostSettings.skillFolders.map((path) => ({ path }))]
          : skills,
    },
    origins,
    written,
    home,
    file,
    hostPlace: hostSettings?.place ?? null,
    places: Object.fromEntries(
      (['vaults', 'sources'] as const)
        .filter((section) => isSetIn(hostSettings?.tree, [section]))
        .map((section) => [section, hostSettings!.place]),
    ),
    warnings: [...ignored, ...unused, ...warnings],
  };
}

interface EffectiveSetting {
  readonly path: string;
  /** The value as written (`5s`), but with absolute paths. */
  readonly value: Json;
  /** `default`, `loci.yaml:12` or `env LOCI_SEARCH_LIMIT`. */
  readonly origin: string;
}

/** Every effective setting, unmasked, in the order of the documentation. */
export function effectiveSettings(config: LoadedConfig): EffectiveSetting[] {
  return SETTINGS.map(({ path }) => effectiveSetting(config, path));
}

/** One effective setting, unmasked. @throws LociError `invalid_input` that suggests a valid key */
export function effectiveSetting(config: LoadedConfig, path: string): EffectiveSetting {
  requireSetting(path);
  return { path, value: config.written.get(path) ?? null, origin: config.origins.get(path) ?? 'default' };
}

/** Whether a host program has set a setting, or has left it out of an entry of its list: lists are replaced as a whole. */
function isSetIn(tree: JsonMap | undefined, path: KeyPath): boolean {
  if (tree === undefined) return false;
  const isInList = path.some((_, i) => Array.isArray(valueAt(tree, path.slice(0, i))));
  return isInList || valueAt(tree, path) !== undefined;
}

/** Replaces the values of a tree by those of another. Maps are merged; lists are replaced as a whole. */
function override(tree: JsonMap, other: JsonMap): void {
  for (const [key, value] of Object.entries(other)) {
    const section = Object.hasOwn(tree, key) ? tree[key] : undefined;
    if (isJsonMap(section) && isJsonMap(value)) override(section, value);
    else tree[key] = value;
  }
}

/** Where the file holds the value of a setting: at its own path, or at that of a key that was renamed to it. */
function writtenPath(path: KeyPath, replaced: readonly ReplacedKeyUse[]): KeyPath {
  const use = replaced.find(({ replaced: { renamedTo } }) =>
    renamedTo?.split('.').every((step, i) => path[i] === step),
  );
  const length = use?.replaced.renamedTo?.split('.').length ?? 0;
  return use === undefined ? path : [...use.path, ...path.slice(length)];
}

/** Names the variables, the file and the settings of a host program that are wrong. */
function hintOf(places: readonly string[]): string {
  return `Correct ${[...new Set(places)].join(' and ')}; docs/configuration.md lists every key.`;
}

function overriding(overrides: readonly Override[], path: KeyPath): Override | undefined {
  return overrides.find(({ key }) => key.path.split('.').every((step, i) => path[i] === step));
}

/**
 * Adds the defaults and the environment to the settings of a file. Relative paths start at the home folder; in the
 * environment, at the current folder.
 */
function settingsTree(
  raw: JsonMap,
  overrides: readonly Override[],
  { home, cwd }: { readonly home: string; readonly cwd: string },
): JsonMap {
  const tree = structuredClone(raw);
  for (const key of SETTINGS) {
    const steps = key.path.split('.');
    if (key.default !== undefined && valueAt(tree, steps) === undefined)
      setAt(tree, steps, structuredClone(key.default));
  }
  resolvePaths(tree, PATH_KEYS, home);
  const fromEnvironment: JsonMap = {};
  for (const { key, value } of overrides) setAt(fromEnvironment, key.path.split('.'), value);
  resolvePaths(fromEnvironment, PATH_KEYS, cwd);
  for (const { key } of overrides) {
    const steps = key.path.split('.');
    setAt(tree, steps, valueAt(fromEnvironment, steps) ?? null);
  }
  return tree;
}
