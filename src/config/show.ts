import type { Json } from '../core/types.ts';
import { SETTINGS } from './keys.ts';
import type { LoadedConfig } from './load.ts';
import { settingNamed } from './problems.ts';
import { maskSecret } from './secrets.ts';

export interface ShownSetting {
  readonly path: string;
  /** As it was written, paths made absolute. */
  readonly value: Json;
  /** `default`, `loci.yaml:12` or `env LOCI_SEARCH_LIMIT`. */
  readonly origin: string;
}

/** Every setting in force, in the order of the documentation, secrets masked. */
export function shownConfig(config: LoadedConfig): ShownSetting[] {
  return SETTINGS.map(({ path }) => {
    const setting = configGet(config, path);
    return { ...setting, value: maskSecret(path, setting.value) };
  });
}

/** One setting in force, unmasked. @throws LociError `invalid_input` that suggests the nearest key */
export function configGet(config: LoadedConfig, path: string): ShownSetting {
  settingNamed(path);
  return { path, value: config.written.get(path) ?? null, origin: config.origins.get(path) ?? 'default' };
}
