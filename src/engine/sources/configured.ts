import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { expandHome } from '../../config/paths.ts';
import { readSourceSettings } from '../../config/problems.ts';
import type { Config } from '../../config/schema.ts';
import { nameKey, type SourceSettings } from '../../config/sources-schema.ts';
import { LociError } from '../../core/errors.ts';
import { closestWord } from '../../core/text/closest-word.ts';
import type { FoundSkill } from '../../sources/document.ts';
import { findSkills } from '../../sources/registry.ts';
import type { EngineContext } from '../context.ts';
import { vaultName } from '../vaults/vault-names.ts';

/** A command source of the settings, or of a skill. */
export interface ConfiguredSource {
  readonly id: string;
  readonly name: string;
  readonly settings: SourceSettings;
  /** The folder that its command runs in. */
  readonly cwd: string;
  /** The folder of the skill that brings it; `null` for one of the settings. */
  readonly skill: string | null;
}

/** A skill whose source cannot be used. */
export interface BrokenSkill {
  readonly id: string;
  readonly folder: string;
  readonly problem: string;
}

export interface ConfiguredSources {
  readonly sources: readonly ConfiguredSource[];
  readonly broken: readonly BrokenSkill[];
}

/**
 * The command sources that there are now: those of the settings, then those of skills. They are read for the configured
 * namespace alone, as vaults are: nobody else learns of them.
 */
export async function configuredSources({ config, namespace }: EngineContext): Promise<ConfiguredSources> {
  if (namespace !== config.namespace) return { sources: [], broken: [] };
  const sources: ConfiguredSource[] = config.sources.map(({ id, ...settings }) => ({
    id,
    name: settings.name ?? id,
    settings,
    cwd: settings.cwd ?? homedir(),
    skill: null,
  }));
  const broken: BrokenSkill[] = [];
  const taken = new Set([...config.vaults.map(vaultName), ...sources.map(({ id }) => id)].map(nameKey));
  const skills = (await Promise.all(config.skills.map(({ path }) => skillsIn(path)))).flat();
  for (const skill of skills) {
    // Which of two came first nobody knows: neither takes the place of the other, approved as that may be.
    const isAlone = skills.every(({ id, folder }) => id !== skill.id || folder === skill.folder);
    const read = isAlone
      ? sourceOf(skill, taken)
      : { ...placeOf(skill), problem: `several skills are called ${skill.id}` };
    if ('problem' in read) broken.push(read);
    else sources.push(read);
  }
  return { sources, broken };
}

/** Milliseconds for which what was found of skills is good enough for a search. */
const RECENT = 10_000;
const recent = new WeakMap<Config, { readonly at: number; readonly found: Promise<ConfiguredSources> }>();

/** The same, as of a moment ago: searches do not look through the folders of skills each time. */
export function recentSources(context: EngineContext): Promise<ConfiguredSources> {
  const { config, namespace } = context;
  if (namespace !== config.namespace || config.skills.length === 0) return configuredSources(context);
  const now = performance.now();
  const known = recent.get(config);
  if (known !== undefined && now - known.at < RECENT) return known.found;
  const found = configuredSources(context);
  recent.set(config, { at: now, found });
  return found;
}

/** A folder that cannot be read is told of like a skill that cannot, by its name: where it is is the owner's alone. */
async function skillsIn(path: string): Promise<FoundSkill[]> {
  try {
    return await findSkills(path);
  } catch (error) {
    if (!(error instanceof LociError)) throw error;
    return [{ id: basename(path), folder: path, written: null, problem: error.message }];
  }
}

function placeOf({ id, folder }: FoundSkill): Pick<BrokenSkill, 'id' | 'folder'> {
  return { id, folder };
}

function sourceOf(skill: FoundSkill, taken: ReadonlySet<string>): ConfiguredSource | BrokenSkill {
  const { id, folder } = skill;
  if (skill.problem !== null) return { id, folder, problem: skill.problem };
  if (taken.has(nameKey(id))) return { id, folder, problem: `another source or vault is called ${id}` };
  const read = readSourceSettings(skill.written);
  if ('problem' in read) return { id, folder, problem: read.problem };
  const { settings } = read;
  const cwd = resolve(folder, expandHome(settings.cwd ?? '.'));
  return { id, name: settings.name ?? id, settings, cwd, skill: folder };
}

/** The source of that id. @throws LociError `not_found` that suggests the nearest; `invalid_config` for a broken skill */
export function sourceNamed({ sources, broken }: ConfiguredSources, id: string): ConfiguredSource {
  const source = sources.find((each) => each.id === id);
  if (source !== undefined) return source;
  const skill = broken.find((each) => each.id === id);
  if (skill !== undefined)
    throw new LociError('invalid_config', `the skill in ${skill.folder}: ${skill.problem}`, {
      hint: 'Correct its SKILL.md.',
    });
  throw noSuchSource(
    id,
    sources.map((each) => each.id),
  );
}

/** `not_found`, with the nearest of the ids that there are. */
export function noSuchSource(id: string, ids: readonly string[]): LociError {
  const meant = closestWord(id, ids);
  const known = ids.length === 0 ? 'there is none' : `there are: ${ids.join(', ')}`;
  return new LociError('not_found', `no source is called ${JSON.stringify(id)}; ${known}`, {
    hint: meant === undefined ? '`loci sources list` lists them.' : `Did you mean ${meant}?`,
  });
}
