import type { Json } from '../core/types.ts';

const SECRET_NAME =
  /(^|[._-])(key|token|secret|password|credentials?)$|[a-z](Key|Token|Secret|Password|Credentials?)$/;

/** The password, or a token in the place of the user, in front of the host of a URL. */
const URL_PASSWORD = /(?<=^[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*:)?)[^/@:\s]+(?=@)/i;

export const MASKED_VALUE = '********';

/** Masks the value of a setting with the name of a secret (`apiKey`, `auth.token`), and passwords in URLs. `null` means unset. */
export function maskSecret(path: string, value: Json): Json {
  if (value === null) return null;
  if (SECRET_NAME.test(path)) return MASKED_VALUE;
  if (typeof value === 'string') return value.replace(URL_PASSWORD, MASKED_VALUE);
  if (Array.isArray(value)) return value.map((item) => maskSecret(path, item));
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskSecret(name, item)]));
  }
  return value;
}
