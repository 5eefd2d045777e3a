import { access, stat } from 'node:fs/promises';
import { basename, resolve, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { homedir } from 'node:os';
import { invalidateNextExpiry } from '../../shared/retention.ts';
import { expandHome } from '../../../config/paths.ts';
import { readSourceSettings } from '../../../config/problems.ts';
import { type Config, DEFAULT_SKILL_FOLDERS } from '../../../config/schema.ts';
import {
  type ConversationSourceConfig,
  type SourceConfig,
  sourceNameKey,
  type SourceSettings,
} from '../../../config/sources-schema.ts';
import { LociError } from '../../../core/errors.ts';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';
import { closestWord } from '../../../core/text/closest-word.ts';
import type { FoundSkill } from '../../../sources/document.ts';
import { findSkills } from '../../../sources/registry.ts';
import type { EngineContext } from '../../context.ts';
import { RegisteredSources, type CodeSource } from './registered-sources.ts';
import { vaultName } from './vault-names.ts';
import { argvOf } from '../../../core/text/split-command.ts';

/** A command that is defined in the settings or by a skill. */
export interface ConfiguredCommand {
  readonly kind: 'command';
  readonly id: string;
  readonly name: string;
  readonly settings: SourceSettings;
  readonly cwd: string;
  /** The folder of the skill that defines it; `null` for a source in the settings. */
  readonly skill: string | null;
}

/** A folder with conversations. */
export interface ConversationFolder {
  readonly kind: 'conversations';
  readonly id: string;
  readonly name: string;
  readonly settings: ConversationSourceConfig;
  readonly path: string;
}

/** A command, a function that the program has registered, or a folder with conversations. */
export type ConfiguredSource = ConfiguredCommand | CodeSource | ConversationFolder;

/** A skill whose source cannot be used. */
interface BrokenSkill {
  readonly id: string;
  readonly folder: string;
  readonly problem: string;
}

interface ConfiguredSources {
  readonly sources: readonly ConfiguredSource[];
  readonly broken: readonly BrokenSkill[];
}

/**
 * The sources in the settings, then those that the program has registered, then those of skills. Like vaults, they belong to the
 * configured namespace, and other namespaces have none.
 */
export async function configuredSources(context: EngineContext): Promise<ConfiguredSources> {
  const { config, namespace } = context;
  if (namespace !== config.namespace) return { sources: [], broken: [] };
  const folders = config.sources.flatMap(({ kind, command: _, ...settings }): ConversationFolder[] => {
    const { id, name = id, path } = settings;
    return kind === 'command' || path === undefined ? [] : [{ kind, id, name, settings, path }];
  });
  const commands = await Promise.all(
    config.sources
      .filter(isCommand)
      .map(async ({ id, kind: _, path: __, ...given }): Promise<ConfiguredCommand> => {
        const settings = { ...given, includeInContext: given.includeInContext ?? true };
        const { cwd, watched } = await workingFolder(context, settings);
        const watch = watched === undefined ? settings.watch : [...settings.watch, watched];
        const name = settings.name ?? id;
        return { kind: 'command', id, name, settings: { ...settings, watch }, cwd, skill: null };
      }),
  );
  const sources: ConfiguredSource[] = [...commands, ...folders, ...context.shared(RegisteredSources).list()];
  const broken: BrokenSkill[] = [];
  const usedNames = new Set(
    [...config.vaults.map(vaultName), ...config.sources, ...sources]
      .map((each) => (typeof each === 'string' ? each : each.id))
      .map(sourceNameKey),
  );
  const skills = await configuredSkills(config);
  for (const skill of skills) {
    // Skills with the same id are not used, so that one cannot take over the approval of another.
    const isUnique = skills.every(({ id, folder }) => id !== skill.id || folder === skill.folder);
    const read = isUnique
      ? sourceOfSkill(skill, usedNames)
      : { id: skill.id, folder: skill.folder, problem: `several skills are called ${skill.id}` };
    if ('problem' in read) broken.push(read);
    else sources.push(read);
  }
  return { sources, broken };
}

/** The schema requires a command of each source of this kind. */
function isCommand(source: SourceConfig): source is SourceConfig & Required<Pick<SourceConfig, 'command'>> {
  return source.kind === 'command';
}

/** How long `cachedSources` returns the same sources. */
const CACHE_DURATION_MS = 10_000;
const cache = new WeakMap<
  RegisteredSources,
  { readonly readAt: number; readonly sources: Promise<ConfiguredSources> }
>();

/**
 * Makes the next calls read what this process reads only every ten seconds: when records expire, and the folders of skills. They then
 * see everything that other processes have changed.
 */
export function dropCaches(context: EngineContext): void {
  invalidateNextExpiry(context);
  cache.delete(context.shared(RegisteredSources));
}

/** Like `configuredSources`, but from a short-lived cache, so that not every search reads the folders of skills. */
export function cachedSources(context: EngineContext): Promise<ConfiguredSources> {
  const { config, namespace } = context;
  if (namespace !== config.namespace || config.skills.length === 0) return configuredSources(context);
  const registeredSources = context.shared(RegisteredSources);
  const now = performance.now();
  const cached = cache.get(registeredSources);
  const isCurrent = cached !== undefined && cached.readAt > registeredSources.changedAt;
  if (isCurrent && now - cached.readAt < CACHE_DURATION_MS) return cached.sources;
  const found = configuredSources(context);
  cache.set(registeredSources, { readAt: now, sources: found });
  return found;
}

/** The skills that define a source, in the folders of the settings. */
async function configuredSkills({ skills }: Pick<Config, 'skills'>): Promise<FoundSkill[]> {
  const defaults = DEFAULT_SKILL_FOLDERS.map(expandHome);
  const found = skills.map(async ({ path }) => {
    const inFolder = await skillsIn(path);
    // The settings do not name a default folder, and a skill in it that cannot be read is likely no source.
    return defaults.includes(path) ? inFolder.filter(({ memorySource }) => memorySource !== null) : inFolder;
  });
  return (await Promise.all(found)).flat();
}

/** Whether the settings or skills define a source. */
export async function hasSources(config: Pick<Config, 'sources' | 'skills'>): Promise<boolean> {
  return config.sources.length > 0 || (await configuredSkills(config)).length > 0;
}

/** A folder that cannot be read is reported like a skill that cannot be read. */
async function skillsIn(path: string): Promise<FoundSkill[]> {
  // Without a folder, the parser of front matter need not be loaded.
  if (!(await exists(path))) return [];
  try {
    return await findSkills(path);
  } catch (error) {
    if (!(error instanceof LociError)) throw error;
    return [{ id: basename(path), folder: path, memorySource: null, problem: error.message }];
  }
}

function sourceOfSkill(skill: FoundSkill, usedNames: ReadonlySet<string>): ConfiguredCommand | BrokenSkill {
  const { id, folder } = skill;
  if (skill.problem !== null) return { id, folder, problem: skill.problem };
  if (usedNames.has(sourceNameKey(id)))
    return { id, folder, problem: `another source or vault is called ${id}` };
  const read = readSourceSettings(skill.memorySource);
  if ('problem' in read) return { id, folder, problem: read.problem };
  const { settings } = read;
  const cwd = resolve(folder, expandHome(settings.cwd ?? '.'));
  return { kind: 'command', id, name: settings.name ?? id, settings, cwd, skill: folder };
}

/** @throws LociError `not_found` that suggests the nearest id; `invalid_config` for a broken skill */
export function requireSource({ sources, broken }: ConfiguredSources, id: string): ConfiguredSource {
  const source = sources.find((each) => each.id === id);
  if (source !== undefined) return source;
  const skill = broken.find((each) => each.id === id);
  if (skill !== undefined)
    throw new LociError('invalid_config', `the skill in ${skill.folder}: ${skill.problem}`, {
      hint: 'Correct its SKILL.md.',
    });
  throw unknownSourceError(
    id,
    sources.map((each) => each.id),
  );
}

/** A `not_found` error that suggests the nearest id. */
export function unknownSourceError(id: string, ids: readonly string[]): LociError {
  const suggestion = closestWord(id, ids);
  const existing = ids.length === 0 ? 'there is none' : `there are: ${ids.join(', ')}`;
  return new LociError('not_found', `no source is called ${JSON.stringify(id)}; ${existing}`, {
    hint: suggestion === undefined ? '`memory_sources` lists all sources.' : `Did you mean ${suggestion}?`,
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== 'ENOENT';
  }
}

interface WorkingFolder {
  readonly cwd: string;
  /** A folder whose files are all watched, as those of a skill are: agents may write to it. */
  readonly watched?: string;
}

/**
 * The folder in which the command of a source in the settings runs: `cwd`, else the Loci home. If the command names a file by a
 * relative path that is not there, it is the first folder beside a folder of skills that has the file, because the commands of
 * skills are usually written as `node skills/tasks/tasks.js`.
 */
async function workingFolder(
  { config, trustsSettings }: Pick<EngineContext, 'config' | 'trustsSettings'>,
  settings: SourceSettings,
): Promise<WorkingFolder> {
  if (settings.cwd !== undefined) return { cwd: settings.cwd };
  const { home = homedir(), skills } = config;
  const file = relativeFile(settings);
  // Agents may write to their workspaces, and what runs without approval may not come from there.
  if (file === null || trustsSettings || (await isFile(join(home, file)))) return { cwd: home };
  for (const { path } of skills) {
    const cwd = dirname(path);
    if (await isFile(join(cwd, file))) return { cwd, watched: skillFolder(path, join(cwd, file)) };
  }
  return { cwd: home };
}

/** The folder of the skill that has a file, or of the file itself if it is in none: it may load anything beside it. */
function skillFolder(skills: string, file: string): string {
  const [name = '', ...rest] = relative(skills, file).split(sep);
  return rest.length === 0 || name === '..' ? dirname(file) : join(skills, name);
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The first word of a command that is the relative path of a file in a folder; `null` without one. */
function relativeFile(settings: SourceSettings): string | null {
  try {
    const isPath = (word: string): boolean =>
      word.includes('/') && !word.includes('://') && !word.startsWith('-') && !isAbsolute(word);
    return argvOf(settings).find(isPath) ?? null;
  } catch (error) {
    if (error instanceof LociError) return null;
    throw error;
  }
}
