import type { Json } from '../core/types.ts';
import { SETTINGS } from './keys.ts';
import type { LoadedConfig } from './load.ts';
import { requireSetting } from './problems.ts';
import { maskSecret } from './secrets.ts';

export interface ShownSetting {
  readonly path: string;
  /** As it was written, but with absolute paths. */
  readonly value: Json;
  /** `default`, `loci.yaml:12` or `env LOCI_SEARCH_LIMIT`. */
  readonly origin: string;
}

/** Every effective setting, in the order of the documentation, with secrets masked. */
export function shownConfig(config: LoadedConfig): ShownSetting[] {
  return SETTINGS.map(({ path }) => {
    const setting = configGet(config, path);
    return { ...setting, value: maskSecret(path, setting.value) };
  });
}

/** One effective setting, unmasked. @throws LociError `invalid_input` that suggests the nearest key */
export function configGet(config: LoadedConfig, path: string): ShownSetting {
  requireSetting(path);
  return { path, value: config.written.get(path) ?? null, origin: config.origins.get(path) ?? 'default' };
}
