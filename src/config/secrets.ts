import type { Json } from '../core/types.ts';

const SECRET_NAME =
  /(^|[._-])(key|token|secret|password|credentials?|connectionString)$|[a-z](Key|Token|Secret|Password|Credentials?|ConnectionString)$/;

/** The password, or a token in the place of the user, in front of the host of a URL. */
const URL_PASSWORD = /(?<=^[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*:)?)[^/@:\s]+(?=@)/i;

/** The value of a parameter of a URL with the name of a secret. */
const URL_SECRET =
  /(?<=[?&#](?:[\w-]{1,40}[._-])?(?:key|api-?key|token|sig|signature|secret|password|passwd|pwd|credentials?|auth|code)=)[^&#\s]+/gi;

/** Under `env` are names of variables. Anything else may be the value of one. */
const ENVIRONMENT = /(?:^|\.)env(?:$|[.[])/;
const VARIABLE_NAME = /^[A-Za-z_]\w*$/;

export const MASKED_VALUE = '********';

/**
 * Masks the value of a setting with the name of a secret (`apiKey`, `auth.token`), passwords in URLs, and what is no name of a
 * variable under `env`. `null` means unset.
 */
export function maskSecret(path: string, value: Json): Json {
  if (value === null) return null;
  if (SECRET_NAME.test(path)) return MASKED_VALUE;
  if (ENVIRONMENT.test(path)) {
    const mask = (item: Json): Json =>
      typeof item === 'string' && VARIABLE_NAME.test(item) ? item : MASKED_VALUE;
    return Array.isArray(value) ? value.map(mask) : MASKED_VALUE;
  }
  if (typeof value === 'string')
    return value.replace(URL_PASSWORD, MASKED_VALUE).replaceAll(URL_SECRET, MASKED_VALUE);
  if (Array.isArray(value)) return value.map((item) => maskSecret(path, item));
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskSecret(name, item)]));
  }
  return value;
}

/** The settings that name the place of a key: `env:NAME` or `file:/path`. A key itself is accepted too. */
export const KEY_SETTINGS = [
  'embedding.apiKey',
  'rerank.apiKey',
  'store.connectionString',
  'store.directConnectionString',
  'store.replicaConnectionString',
] as const;

/** Whether a setting that should name the place of a key is the key itself. */
export function isKeyItself(path: string, value: Json): boolean {
  return namesKey(path) && typeof value === 'string' && !isPlace(value);
}

/** A setting as its writer may see it again: without secrets, but with the places that hold them. */
export function shownSetting(path: string, value: Json): Json {
  return namesKey(path) && typeof value === 'string' && isPlace(value) ? value : maskSecret(path, value);
}

function namesKey(path: string): boolean {
  return KEY_SETTINGS.some((key) => key === path);
}

function isPlace(value: string): boolean {
  return /^(?:env|file):/.test(value);
}
