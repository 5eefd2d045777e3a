import { shownSetting } from '../../config/secrets.ts';
import { mapStrings } from '../../core/json.ts';
import { detectSecrets } from '../../secrets/detect.ts';
import { maskSecrets } from '../../secrets/secret.ts';
import type { Json } from '../../core/types.ts';

/** A setting as it may be printed: without keys and passwords, also those in a command or an address. */
export function printedSetting(path: string, value: Json): Promise<Json> {
  return mapStrings(shownSetting(path, value), async (text, name) =>
    maskSecrets(text, await detectSecrets(text, name)),
  );
}
