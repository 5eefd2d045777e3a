import type { SecretPattern } from './secret.ts';

/** Passwords of examples, and names in their place. */
const PLACEHOLDER = /^(?:pass(?:word|wd)?|pwd|secret|changeme|x+|\*+|\.+|your.*|my-?password|[$%{<[].*)$/i;

/** The password in an address (RFC 3986, `userinfo`): of a database, a queue, a web page. */
export const ADDRESS_PASSWORD: SecretPattern = {
  kind: 'password in an address',
  pattern:
    /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/(?<user>[^\s:@/"'`<>]{0,100}):(?<secret>[^\s/"'`<>]{3,400})@(?=[A-Za-z0-9[_-])/dg,
  accept: (secret, match) => secret !== match.groups?.['user'] && !PLACEHOLDER.test(secret),
};

/** A token in the place of the user: `https://TOKEN@github.com`. */
export const ADDRESS_TOKEN: SecretPattern = {
  kind: 'token in an address',
  pattern:
    /(?<![A-Za-z0-9+.-])https?:\/\/(?<secret>[0-9A-Za-z_-]{30,200})(?::(?:x-oauth-basic)?)?@(?=[A-Za-z0-9[])/dg,
};
