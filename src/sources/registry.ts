import { setImmediate } from 'node:timers/promises';
import type { Source } from './source.ts';
import type { VaultOptions } from './vault/vault.ts';

/** The kinds of sources and what each needs to open. */
export interface SourceOptions {
  readonly vault: VaultOptions;
}

export type SourceKind = keyof SourceOptions;

/** A kind's code is loaded when a source of it is first opened. */
const OPENERS: { readonly [Kind in SourceKind]: (options: SourceOptions[Kind]) => Promise<Source> } = {
  vault: async (options) => {
    // Sixty files, which are read and run at once: in parts, each holds the event loop for less than 50 ms.
    await import('yaml/util');
    await setImmediate();
    await import('yaml');
    await setImmediate();
    return (await import('./vault/vault.ts')).openVault(options);
  },
};

export function openSource<Kind extends SourceKind>(
  kind: Kind,
  options: SourceOptions[Kind],
): Promise<Source> {
  return OPENERS[kind](options);
}
