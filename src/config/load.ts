import { dirname, join, resolve } from 'node:path';
import { LociError } from '../core/errors.ts';
import { describeFileError, errorCode } from '../core/fs/file-errors.ts';
import { readRegularFile } from '../core/fs/read-regular-file.ts';
import type { Json } from '../core/types.ts';
import { type ConfigDocument, parseConfig } from './document.ts';
import { type Override, readEnvironment } from './environment.ts';
import { PATH_KEYS, SETTINGS } from './keys.ts';
import { expandHome, resolvePaths } from './paths.ts';
import { explainIssues } from './problems.ts';
import { type Config, configSchema } from './schema.ts';
import { type JsonMap, type PathStep, setAt, valueAt } from './tree.ts';

export const CONFIG_FILE = 'loci.yaml';
/** Bytes. */
const LARGEST = 1_000_000;

/** The settings in force, and where each came from. */
export interface LoadedConfig {
  readonly values: Config;
  /** Path of a setting → `default`, `loci.yaml:12` or `env LOCI_SEARCH_LIMIT`. */
  readonly origins: ReadonlyMap<string, string>;
  /** Path of a setting → its value as it was written (`5s`), paths made absolute. */
  readonly written: ReadonlyMap<string, Json>;
  /** The folder of the configuration and, by default, of the store. */
  readonly home: string;
  /** The configuration file, whether it exists or not. */
  readonly file: string;
  /** Sentences on variables of the environment that were ignored. */
  readonly warnings: readonly string[];
}

export interface ConfigOptions {
  /** Else `LOCI_HOME`, else `~/.loci`. */
  readonly home?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Reads `loci.yaml` of the home folder, lets the environment override it and fills in the defaults.
 * @throws LociError `invalid_config` that names each wrong key with its line, or `unreadable`
 */
export async function loadConfig(options: ConfigOptions = {}): Promise<LoadedConfig> {
  const env = options.env ?? process.env;
  const home = configHome(options);
  const file = join(home, CONFIG_FILE);
  const document = parseConfig((await readConfigText(file)) ?? '', file);
  return resolveConfig(document, home, env);
}

/** The home folder: the given one, else `LOCI_HOME`, else `~/.loci`; absolute. */
export function configHome(options: ConfigOptions): string {
  return resolve(expandHome(options.home ?? ((options.env ?? process.env)['LOCI_HOME'] || '~/.loci')));
}

/**
 * The text of a configuration file, `undefined` when there is none.
 * @throws LociError `invalid_config` for what is no file of text of at most 1 MB, or `unreadable`
 */
export async function readConfigText(file: string): Promise<string | undefined> {
  const bytes = await readRegularFile(file, LARGEST).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw unreadableConfig(file, error);
  });
  if (bytes === undefined) return undefined;
  if (bytes === 'folder')
    throw new LociError('unreadable', `${file} cannot be read: it is a folder, not a file`, {
      hint: 'Settings are one file of this name: move the folder away.',
    });
  if (bytes === 'special')
    throw new LociError('invalid_config', `${file} is no regular file`, {
      hint: 'Settings are one file of this name, or a link to one: move what stands there away.',
    });
  if (bytes === 'too large')
    throw new LociError('invalid_config', `${file} is larger than ${String(LARGEST / 1e6)} MB`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LociError('invalid_config', `${file} is no UTF-8 text`);
  }
}

function unreadableConfig(file: string, cause: unknown): LociError {
  const home = dirname(file);
  if (errorCode(cause) === 'ENOTDIR') {
    const hint = 'Name a folder with LOCI_HOME or --home; it need not exist yet.';
    return new LociError('unreadable', `the home folder ${home} is a file, or stands below one`, {
      hint,
      cause,
    });
  }
  const hint = 'Check that you may read it, or name another home with LOCI_HOME or --home.';
  return new LociError('unreadable', `${file} cannot be read: ${describeFileError(cause)}`, { hint, cause });
}

/** Joins a parsed file, an environment and the defaults. @throws LociError `invalid_config` */
export function resolveConfig(document: ConfigDocument, home: string, env: NodeJS.ProcessEnv): LoadedConfig {
  const file = join(home, CONFIG_FILE);
  const { overrides, warnings } = readEnvironment(env);
  const tree = settingsTree(document.raw, overrides, home);
  const placeOf = (path: readonly PathStep[]): string =>
    overriding(overrides, path)?.variable ?? `${file}:${document.lineOf(path)}`;
  const parsed = configSchema.safeParse(tree);
  if (!parsed.success) {
    const problems = explainIssues(parsed.error.issues, tree);
    const lines = problems.map(({ path, message }) => `${placeOf(path)}: ${message}`);
    throw new LociError('invalid_config', lines.join('\n'), {
      hint: hintOf(problems.map(({ path }) => overriding(overrides, path)?.variable)),
    });
  }
  const origins = new Map<string, string>();
  const written = new Map<string, Json>();
  for (const { path } of SETTINGS) {
    const steps = path.split('.');
    written.set(path, valueAt(tree, steps) ?? null);
    origins.set(path, originOf(steps, overrides, document));
  }
  const sources = parsed.data.sources.map((source) => ({ cwd: home, ...source }));
  return { values: { ...parsed.data, sources }, origins, written, home, file, warnings };
}

/** What to correct: each problem's variable, or the file where it has none. */
function hintOf(variables: readonly (string | undefined)[]): string {
  const wrong = new Set(variables.map((variable) => variable ?? CONFIG_FILE));
  return `Correct ${[...wrong].join(' and ')}; docs/configuration.md lists every key.`;
}

function originOf(
  steps: readonly string[],
  overrides: readonly Override[],
  document: ConfigDocument,
): string {
  const override = overriding(overrides, steps);
  if (override !== undefined) return `env ${override.variable}`;
  if (valueAt(document.raw, steps) === undefined) return 'default';
  return `${CONFIG_FILE}:${document.lineOf(steps)}`;
}

function overriding(overrides: readonly Override[], path: readonly PathStep[]): Override | undefined {
  return overrides.find(({ key }) => key.path.split('.').every((step, i) => path[i] === step));
}

/** Paths of the file and of the defaults start at the home folder, those of the environment where we stand. */
function settingsTree(raw: JsonMap, overrides: readonly Override[], home: string): JsonMap {
  const tree = structuredClone(raw);
  for (const { path, default: usual } of SETTINGS) {
    const steps = path.split('.');
    if (usual !== undefined && valueAt(tree, steps) === undefined) setAt(tree, steps, structuredClone(usual));
  }
  resolvePaths(tree, PATH_KEYS, home);
  const outer: JsonMap = {};
  for (const { key, value } of overrides) setAt(outer, key.path.split('.'), value);
  resolvePaths(outer, PATH_KEYS, process.cwd());
  for (const { key } of overrides) {
    const steps = key.path.split('.');
    setAt(tree, steps, valueAt(outer, steps) ?? null);
  }
  return tree;
}
