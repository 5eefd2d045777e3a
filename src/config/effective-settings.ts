import type { Json } from '../core/types.ts';
import { SETTINGS } from './keys.ts';
import type { LoadedConfig } from './load.ts';
import { requireSetting } from './problems.ts';
import { maskSecret } from './secrets.ts';

interface EffectiveSetting {
  readonly path: string;
  /** The value as written (`5s`), but with absolute paths. */
  readonly value: Json;
  /** `default`, `loci.yaml:12` or `env LOCI_SEARCH_LIMIT`. */
  readonly origin: string;
}

/** Every effective setting, in the order of the documentation, with secrets masked. */
export function effectiveSettings(config: LoadedConfig): EffectiveSetting[] {
  return SETTINGS.map(({ path }) => {
    const setting = effectiveSetting(config, path);
    return { ...setting, value: maskSecret(path, setting.value) };
  });
}

/** One effective setting, unmasked. @throws LociError `invalid_input` that suggests a valid key */
export function effectiveSetting(config: LoadedConfig, path: string): EffectiveSetting {
  requireSetting(path);
  return { path, value: config.written.get(path) ?? null, origin: config.origins.get(path) ?? 'default' };
}
