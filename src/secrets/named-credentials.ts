import type { SecretPattern } from './secret.ts';

/** Words for a password. */
const PASSWORD =
  String.raw`pass(?:word|wort|wd|phrase|code)|pwd|kennwort|contraseña|mot de passe|wachtwoord|пароль|` +
  '密码|密碼|口令|パスワード|비밀번호';
/** Words for the key of a program. */
const KEY =
  String.raw`(?:api|app(?:lication)?|access|secret|private|signing|encryption|account|master|auth|license|consumer|service|deploy|subscription|webhook|storage)[ _-]?key|` +
  String.raw`(?:api|access|auth|refresh|session|bearer|bot|client|app|security)[ _-]?(?:token|secret)|` +
  String.raw`secret|_authToken|token`;
/** What every pattern of `NAMED_CREDENTIALS` requires. The names of keys end with `key`, `token` or `secret`. */
export const CREDENTIAL_NAME = new RegExp(`${PASSWORD}|key|token|secret|curl|bearer|authorization`, 'iu');
/** Suffixes of the name in an identifier: `SECRET_KEY_BASE`, `password2`, `API_KEY_PROD`. */
const SUFFIX = '(?:[_-](?:key|value|base|token|prod|production|staging|dev|test|live)){0,2}[_-]?[0-9]{0,2}';
/** The text between name and value: `: `, ` = "`, `'] = '`, `:** \``, `": "`. */
const ASSIGNED = String.raw`(?:["'\x60*_]{0,3}|["']\])[ \t]{0,8}(?::=|=>|={1,3}|:|\|)[*_]{0,3}[ \t]{0,8}`;
const STATED = String.raw`(?:["'\x60*_]{0,3}[ \t]{1,3}(?:is|was|to|ist|war|lautet|est|était|es|era|è|=)[ \t]*:?[ \t]{1,3}|[是为為は])`;
/** What the password or key is for: `of the old server`, `für das WLAN`. */
const FOR = String.raw`(?:[ \t]{1,3}(?:of|for|to|on|at|von|vom|für|zu[mr]?|des?|du|del(?:la)?|da|para|pour|per|voor|van)(?:[ \t]{1,3}[\p{L}\d'’.-]{1,30}){1,5})?`;
/** The speaker's own password: `my wifi password is`. Who states that means the password, even if it is a word with digits. */
const POSSESSIVE = String.raw`\b(?:my|our|meine?|unser|mon|notre|mi|nuestra|la mia)[ \t]{1,3}(?:[\p{L}\d'’-]{1,30}[ \t]{1,3}){0,2}`;
const OPTION = '[ \t]{1,8}';
/** A setting or a string in code, after a name without spaces: `PASSWORD=`, `"password": "`, `password = '`. Prose has neither. */
const IN_CODE = String.raw`(?:=(?![=>])(?=[^\s=])|["']?[ \t]{0,8}(?::=|[:=])[ \t]{0,8}(?=["'][^\s"']{4,200}["']))`;
/** The value extends to a space, a quote or an ideograph, without the punctuation of the sentence. */
const VALUE = String.raw`["'\x60]?(?<secret>[^\s"'\x60<>|\u3000-\u9fff]+(?<![.,;:!?)\]}*_]))`;

function named(kind: string, format: string, accept: (secret: string) => boolean): SecretPattern {
  return { kind, pattern: new RegExp(format + VALUE, 'dgiu'), accept };
}

/** Passwords, tokens and keys that are recognised by the name in front of them. */
export const NAMED_CREDENTIALS: readonly SecretPattern[] = [
  named('password', `(?:${PASSWORD})${SUFFIX}${ASSIGNED}`, isPassword),
  named('password', `(?:${PASSWORD})${SUFFIX}${IN_CODE}`, isPasswordInCode),
  named('password', `--(?:password|passwd|passphrase)${OPTION}`, isPassword),
  // The .netrc file of ftp and curl.
  named('password', String.raw`\blogin[ \t]+\S{1,64}\s+password[ \t]+`, isPassword),
  named('password', String.raw`\bcurl\b[^\n]{0,200}?[ \t](?:-u|--user)[ =]?["']?[^\s:"']{1,64}:`, isPassword),
  named('password', `(?:${PASSWORD})${FOR}${STATED}`, (secret) => isPassword(secret) && !isWords(secret, 1)),
  named(
    'password',
    `${POSSESSIVE}(?:${PASSWORD})${FOR}${STATED}`,
    (secret) => isPassword(secret) && /\d/.test(secret),
  ),
  named('key', `(?:${KEY})${SUFFIX}${ASSIGNED}`, isKey),
  named('key', `(?:${KEY})${SUFFIX}${IN_CODE}`, isKeyInCode),
  named('key', `--(?:api-key|token|secret|access-token|auth-token)${OPTION}`, isKey),
  named('key', `(?:${KEY})${FOR}${STATED}`, (secret) => secret.length >= 16 && isKey(secret)),
  // RFC 6750, RFC 7617, and unregistered schemes.
  named('bearer token', String.raw`\bbearer[ \t]{1,8}`, isKey),
  named(
    'authorization header',
    String.raw`\bauthorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:[a-z]{2,20}[ \t]{1,8})?(?:token=)?`,
    isKey,
  ),
];

/** Placeholders: `<password>`, `${PASSWORD}`, `your-api-key`, `*****`, and the masks of Loci. */
const PLACEHOLDER =
  /^(?:[<{[(*•…-]|\.\.\.|\$[A-Z_{(]|%[A-Z_]|(?:your|my|some|the|an?|new|old|test|example|sample|dummy|fake|change|insert|enter|redacted|todo)[_-]|changeme|(.)\1*$)/i;
/** Source code: a member, a call, an index, an address. */
const EXPRESSION =
  /^(?:[a-z_$][\w$]*(?:\??\.[a-z_$][\w$]*)+$|[\w$.]+[([]|(?:process|os|env|self|this|config|settings)\.|[\w.+-]+:\/\/)/i;
/** Names of algorithms, formats and versions, dates, measures, addresses on a blockchain: `SHA-256`, `2024-01-05`, `12-digit`. */
const TERM =
  /^(?:(?:sha|md|aes|rsa|ed|hmac|argon|pbkdf|bcrypt|scrypt|base|utf|oauth|jwt|hs|rs|es|v|http|ipv|win)[_-]?\d|\d{1,4}[-/.:]\d{1,2}\b|\d{1,9}(?:\.\d+)*[-–]?[a-z]{2,15}$|0x[\da-f]{40}$|e2e-)/i;
/** Common forms of a path: without capitals, or from a root. */
const PATH =
  /^(?:(?=.*\/)[a-z\d._~/-]+$|(?:~|\.{1,2})?\/(?:[A-Za-z._-]+\d{0,2}\/)*[A-Za-z._-]+\d{0,2}(?:\.\w+)?$)/;

function isPassword(secret: string): boolean {
  if (secret.length < 6 || isNotSecret(secret)) return false;
  return /\d/.test(secret) || /^(?=.*[a-z])(?=.*[!@#$%^&+=?~]).{8,}$/i.test(secret);
}

/** Machines make keys: they are long, and their letters and digits form no words. */
function isKey(secret: string): boolean {
  if (secret.length < 10 || isNotSecret(secret)) return false;
  return /\d/.test(secret) && /[a-z]/i.test(secret) && !isWords(secret);
}

/** Values of settings that are about passwords, and names of types. */
const SETTING =
  /^(?:true|false|yes|no|on|off|null|none|nil|undefined|empty|required|optional|enabled|disabled|hidden|string|text|str|bool(?:ean)?|(?:new|old|current|confirm|user|admin|root|db|my)?_?(?:pass(?:word|wd|phrase|code)?|passwort|kennwort|pwd|secret|token|(?:api)?_?key))$/i;

/** In code a password may be a word. */
function isPasswordInCode(secret: string): boolean {
  return secret.length >= 4 && !isNotSecret(secret) && !SETTING.test(secret);
}

/** In code a key may have letters only; those of names form short words. */
function isKeyInCode(secret: string): boolean {
  return /^[a-z]{16,}$/i.test(secret) && !isNotSecret(secret) && !SETTING.test(secret);
}

function isNotSecret(secret: string): boolean {
  return [PLACEHOLDER, EXPRESSION, TERM, PATH].some((pattern) => pattern.test(secret));
}

/** Whether the text consists of joined words, each with at most a few digits after it: `prod-db-2`, `utf8`, `my_token_v2`. */
function isWords(secret: string, digits = 2): boolean {
  const [first = '', ...others] = secret.split(/[-_.:/]/);
  const word = new RegExp(`^[a-z]+\\d{0,${String(digits)}}$`, 'i');
  return word.test(first) && others.every((part) => /^(?:[A-Za-z]*\d{0,4}|\d{1,4}[a-z]+)$/.test(part));
}

/** Passwords of examples, and names in place of one. */
const EXAMPLE_PASSWORD =
  /^(?:pass(?:word|wd)?|pwd|secret|changeme|x+|\*+|\.+|your.*|my-?password|[$%{<[].*)$/i;

/** The password in a URL (RFC 3986, `userinfo`), such as that of a database or a queue. */
export const ADDRESS_PASSWORD: SecretPattern = {
  kind: 'password in an address',
  pattern:
    /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/(?<user>[^\s:@/"'`<>]{0,100}):(?<secret>[^\s/"'`<>]{3,400})@(?=[A-Za-z0-9[_-])/dg,
  accept: (secret, match) => secret !== match.groups?.['user'] && !EXAMPLE_PASSWORD.test(secret),
};

/** A token in place of the user: `https://TOKEN@github.com`. */
export const ADDRESS_TOKEN: SecretPattern = {
  kind: 'token in an address',
  pattern:
    /(?<![A-Za-z0-9+.-])https?:\/\/(?<secret>[0-9A-Za-z_-]{30,200})(?::(?:x-oauth-basic)?)?@(?=[A-Za-z0-9[])/dg,
};
