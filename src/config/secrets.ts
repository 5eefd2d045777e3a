import type { Json } from '../core/types.ts';

const SECRET_NAME =
  /(^|[._-])(key|token|secret|password|credentials?)$|[a-z](Key|Token|Secret|Password|Credentials?)$/;

/** A password, or a token alone, before the host of a URL. */
const URL_PASSWORD = /(?<=^[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*:)?)[^/@:\s]+(?=@)/i;

export const MASK = '********';

/** The value of a setting as it may be shown: secrets by name (`apiKey`, `auth.token`) and in URLs are masked; `null` is not set. */
export function maskSecret(path: string, value: Json): Json {
  if (value === null) return null;
  if (SECRET_NAME.test(path)) return MASK;
  if (typeof value === 'string') return value.replace(URL_PASSWORD, MASK);
  if (Array.isArray(value)) return value.map((item) => maskSecret(path, item));
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskSecret(name, item)]));
  }
  return value;
}
