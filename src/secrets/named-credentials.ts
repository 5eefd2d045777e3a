import type { SecretPattern } from './secret.ts';

/** What a password is called. */
const PASSWORD =
  String.raw`pass(?:word|wort|wd|phrase|code)|pwd|kennwort|contraseña|mot de passe|wachtwoord|пароль|` +
  '密码|密碼|口令|パスワード|비밀번호';
/** What a key is called that a program is given. */
const KEY =
  String.raw`(?:api|access|secret|private|signing|encryption|account|master|auth|license)[ _-]?key|` +
  String.raw`(?:api|access|auth|refresh|session|bearer|bot|client|app|security)[ _-]?(?:token|secret)|` +
  String.raw`secret|_authToken|token`;
/** What may stand behind the name within an identifier: `SECRET_KEY_BASE`, `password2`, `API_KEY_PROD`. */
const SUFFIX = '(?:[_-](?:key|value|base|token|prod|production|staging|dev|test|live)){0,2}[_-]?[0-9]{0,2}';
/** From the name to the value: `: `, ` = "`, `'] = '`, `:** \``, `": "`. */
const ASSIGNED = String.raw`(?:["'\x60*_]{0,3}|["']\])[ \t]{0,8}(?::=|=>|={1,3}|:|\|)[*_]{0,3}[ \t]{0,8}`;
const SAID = String.raw`(?:["'\x60*_]{0,3}[ \t]{1,3}(?:is|was|to|=)[ \t]*:?[ \t]{1,3}|[是为為は])`;
const OPTION = '[ \t]{1,8}';
/** Up to a space, a quote or an ideograph, without the sentence's own punctuation. */
const VALUE = String.raw`["'\x60]?(?<secret>[^\s"'\x60<>|\u3000-\u9fff]+(?<![.,;:!?)\]}*_]))`;

function named(kind: string, format: string, accept: (secret: string) => boolean): SecretPattern {
  return { kind, pattern: new RegExp(format + VALUE, 'dgi'), accept };
}

/** Passwords, tokens and keys that are known by the name in front of them. */
export const NAMED_CREDENTIALS: readonly SecretPattern[] = [
  named('password', `(?:${PASSWORD})${SUFFIX}${ASSIGNED}`, isPassword),
  named('password', `--(?:password|passwd|passphrase)${OPTION}`, isPassword),
  // The .netrc file of ftp and curl.
  named('password', String.raw`\blogin[ \t]+\S{1,64}\s+password[ \t]+`, isPassword),
  named('password', String.raw`\bcurl\b[^\n]{0,200}?[ \t](?:-u|--user)[ =]?["']?[^\s:"']{1,64}:`, isPassword),
  named('password', `(?:${PASSWORD})${SAID}`, (secret) => isPassword(secret) && !isWords(secret, 1)),
  named('key', `(?:${KEY})${SUFFIX}${ASSIGNED}`, isKey),
  named('key', `--(?:api-key|token|secret|access-token|auth-token)${OPTION}`, isKey),
  named('key', `(?:${KEY})${SAID}`, (secret) => secret.length >= 16 && isKey(secret)),
  // RFC 6750, RFC 7617, and schemes that nobody registered.
  named('bearer token', String.raw`\bbearer[ \t]{1,8}`, isKey),
  named(
    'authorization header',
    String.raw`\bauthorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:[a-z]{2,20}[ \t]{1,8})?(?:token=)?`,
    isKey,
  ),
];

/** Stands where a secret should: `<password>`, `${PASSWORD}`, `your-api-key`, `*****`, our own masks. */
const PLACEHOLDER =
  /^(?:[<{[(*•…-]|\.\.\.|\$[A-Z_{(]|%[A-Z_]|(?:your|my|some|the|an?|new|old|test|example|sample|dummy|fake|change|insert|enter|redacted|todo)[_-]|changeme|(.)\1*$)/i;
/** What a program says: a member, a call, an index, an address. */
const EXPRESSION =
  /^(?:[a-z_$][\w$]*(?:\??\.[a-z_$][\w$]*)+$|[\w$.]+[([]|(?:process|os|env|self|this|config|settings)\.|[\w.+-]+:\/\/)/i;
/** Names of algorithms, formats and versions, dates, measures, addresses on a blockchain: `SHA-256`, `2024-01-05`, `12-digit`. */
const TERM =
  /^(?:(?:sha|md|aes|rsa|ed|hmac|argon|pbkdf|bcrypt|scrypt|base|utf|oauth|jwt|hs|rs|es|v|http|ipv|win)[_-]?\d|\d{1,4}[-/.:]\d{1,2}\b|\d+(?:\.\d+)*[-–]?[a-z]{2,}$|0x[\da-f]{40}$)/i;
/** A path, as most are written: without capitals, or from a root. */
const PATH =
  /^(?:(?=.*\/)[a-z\d._~/-]+$|(?:~|\.{1,2})?\/(?:[A-Za-z._-]+\d{0,2}\/)*[A-Za-z._-]+\d{0,2}(?:\.\w+)?$)/;

function isPassword(secret: string): boolean {
  if (secret.length < 6 || isNoSecret(secret)) return false;
  return /\d/.test(secret) || /^(?=.*[a-z])(?=.*[!@#$%^&+=?~]).{8,}$/i.test(secret);
}

/** A key is made by a machine: long, and of letters and digits that spell nothing. */
function isKey(secret: string): boolean {
  if (secret.length < 10 || isNoSecret(secret)) return false;
  return /\d/.test(secret) && /[a-z]/i.test(secret) && !isWords(secret);
}

function isNoSecret(secret: string): boolean {
  return [PLACEHOLDER, EXPRESSION, TERM, PATH].some((pattern) => pattern.test(secret));
}

/** Words with a number of few digits behind them, joined: `prod-db-2`, `utf8`, `my_token_v2`. */
function isWords(secret: string, digits = 2): boolean {
  const [first = '', ...others] = secret.split(/[-_.:/]/);
  const word = new RegExp(`^[a-z]+\\d{0,${String(digits)}}$`, 'i');
  return word.test(first) && others.every((part) => /^(?:[A-Za-z]*\d{0,4}|\d{1,4}[a-z]+)$/.test(part));
}
