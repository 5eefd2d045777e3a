import { setImmediate } from 'node:timers/promises';
import type { CommandOptions } from './command/command.ts';
import type { DocumentSource, FoundSkill } from './document.ts';
import type { Source } from './source.ts';
import type { VaultOptions } from './vault/vault.ts';

/** The kinds of sources, what each needs to open and what is opened then. */
interface Kinds {
  readonly vault: { readonly options: VaultOptions; readonly opened: Source };
  readonly command: { readonly options: CommandOptions; readonly opened: DocumentSource };
}

export type SourceKind = keyof Kinds;

/** A kind's code is loaded when a source of it is first opened. */
const OPENERS: {
  readonly [Kind in SourceKind]: (options: Kinds[Kind]['options']) => Promise<Kinds[Kind]['opened']>;
} = {
  vault: async (options) => {
    await loadYaml();
    return (await import('./vault/vault.ts')).openVault(options);
  },
  command: async (options) => (await import('./command/command.ts')).openCommand(options),
};

export function openSource<Kind extends SourceKind>(
  kind: Kind,
  options: Kinds[Kind]['options'],
): Promise<Kinds[Kind]['opened']> {
  return OPENERS[kind](options);
}

/** The skills of a folder that name a source. @throws LociError `unreadable` */
export async function findSkills(folder: string): Promise<FoundSkill[]> {
  await loadYaml();
  return (await import('./skill/find-skills.ts')).findSkills(folder);
}

/** Sixty files, which are read and run at once: in parts, each holds the event loop for less than 50 ms. */
async function loadYaml(): Promise<void> {
  await import('yaml/util');
  await setImmediate();
  await import('yaml');
  await setImmediate();
}
