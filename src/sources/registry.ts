import type { Source } from './source.ts';
import type { VaultOptions } from './vault/vault.ts';

/** The kinds of sources and what each needs to open. */
export interface SourceOptions {
  readonly vault: VaultOptions;
}

export type SourceKind = keyof SourceOptions;

/** A kind's code is loaded when a source of it is first opened. */
const OPENERS: { readonly [Kind in SourceKind]: (options: SourceOptions[Kind]) => Promise<Source> } = {
  vault: async (options) => (await import('./vault/vault.ts')).openVault(options),
};

export function openSource<Kind extends SourceKind>(
  kind: Kind,
  options: SourceOptions[Kind],
): Promise<Source> {
  return OPENERS[kind](options);
}
