import { setImmediate } from 'node:timers/promises';
import type { CodeOptions } from './code/code.ts';
import type { CommandOptions } from './command/command.ts';
import type { CommandSource, DocumentSource, FoundSkill } from './document.ts';
import type { Source } from './source.ts';
import type { VaultOptions } from './vault/vault.ts';

/** The options and the driver of each kind of source. */
interface Drivers {
  readonly vault: { readonly options: VaultOptions; readonly source: Source };
  readonly command: { readonly options: CommandOptions; readonly source: CommandSource };
  readonly code: { readonly options: CodeOptions; readonly source: DocumentSource };
}

type SourceKind = keyof Drivers;

/** Each driver is loaded when a source of its kind is first opened. */
const OPENERS: {
  readonly [Kind in SourceKind]: (options: Drivers[Kind]['options']) => Promise<Drivers[Kind]['source']>;
} = {
  vault: async (options) => {
    await loadYaml();
    return (await import('./vault/vault.ts')).openVault(options);
  },
  command: async (options) => (await import('./command/command.ts')).openCommand(options),
  code: async (options) => (await import('./code/code.ts')).openCode(options),
};

export function openSource<Kind extends SourceKind>(
  kind: Kind,
  options: Drivers[Kind]['options'],
): Promise<Drivers[Kind]['source']> {
  return OPENERS[kind](options);
}

/** Finds the skills of a folder that define a source. @throws LociError `unreadable` */
export async function findSkills(folder: string): Promise<FoundSkill[]> {
  await loadYaml();
  return (await import('./skill/find-skills.ts')).readSkills(folder);
}

/** Reads files with conversations. */
export async function conversationReader() {
  const { conversationFiles, conversationsOf } = await import('./conversations/conversation-files.ts');
  return { conversationFiles, conversationsOf };
}

/** The YAML parser has sixty files. Loading it in two parts blocks the event loop for less than 50 ms each time. */
async function loadYaml(): Promise<void> {
  await import('yaml/util');
  await setImmediate();
  await import('yaml');
  await setImmediate();
}
