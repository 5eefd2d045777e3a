import type { TaskRunner, ThreadTask } from '../core/threads/task-thread.ts';
import { workerModule } from '../core/threads/worker-module.ts';
import { ADDRESS_PASSWORD, ADDRESS_TOKEN, CREDENTIAL_NAME, NAMED_CREDENTIALS } from './named-credentials.ts';
import { findPatterns, maskSecrets, readableText, type Secret, type SecretPattern } from './secret.ts';
import { loadSecretlint } from './secretlint.ts';
import { SECRET_IN_CONTEXT, STATED_SECRETS } from './stated-secrets.ts';
import { SERVICE_TOKENS, VENDOR_TOKENS } from './vendor-tokens.ts';

/** The line that begins a private key: RFC 7468, OpenSSH, OpenPGP (RFC 9580, section 6.2). */
const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
/** An RSA key of 16,384 bits takes 13,000 characters; it may be indented and quoted. */
const MAX_LENGTH = 40_000;
/** Characters between the lines of a key: line breaks, escaped or not, and the marks of quotations and strings. */
const WRAP = String.raw`(?:[\s>|"',#*]|\\+[nrt])`;
/** A line of a key. Prose has no words of that length. */
const LINE = '[A-Za-z0-9+/]{24,}={0,2}';
/** The headers of old formats (RFC 1421), each with its line break. */
const HEADERS = String.raw`(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,200}(?:\n|\\+n)${WRAP}*){0,5}`;
/** The last line. It may be short if the text, the paragraph or the string ends after it. */
const LAST_LINE = String.raw`(?:${WRAP}{1,40}[A-Za-z0-9+/]{1,23}={0,2}(?=${WRAP}{0,40}(?:$|[\n-])|["'\x60]))?`;
/** The body of a key without an END line. */
const UNTERMINATED_BODY = new RegExp(`${WRAP}*${HEADERS}${LINE}(?:${WRAP}{1,40}${LINE})*${LAST_LINE}`, 'y');
const KEY_MATERIAL = /[A-Za-z0-9+/]{12,}/g;

/** Finds private keys in PEM with their BEGIN and END lines, however they are wrapped. */
function findPrivateKeys(text: string): Secret[] {
  const begins = [...text.matchAll(BEGIN)];
  return begins.flatMap(({ 0: begin, index: start }, i) => {
    const body = start + begin.length;
    const next = begins[i + 1]?.index ?? text.length;
    const end = endOfKey(text, body, Math.min(next, body + MAX_LENGTH));
    return end === null ? [] : [{ kind: 'private key', start, end }];
  });
}

/** Returns null if the BEGIN line is only mentioned in prose. */
function endOfKey(text: string, body: number, limit: number): number | null {
  const content = text.slice(body, limit);
  const end = END.exec(content);
  if (end !== null && hasKeyMaterial(content.slice(0, end.index))) return body + end.index + end[0].length;
  UNTERMINATED_BODY.lastIndex = 0;
  const unterminated = UNTERMINATED_BODY.exec(content);
  return unterminated === null ? null : body + unterminated[0].length;
}

function hasKeyMaterial(body: string): boolean {
  const runs = body.replaceAll(/\\+[nrt]/g, ' ').match(KEY_MATERIAL) ?? [];
  return runs.some((run) => /[A-Z]/.test(run) && /[a-z]/.test(run));
}

/** Finds some kinds of credentials. */
export interface Detector {
  /**
   * Whether the text has something that every finding has. It takes a tenth of the time of `find`, and is false for most texts.
   * If it is false, `find` finds nothing.
   */
  readonly mayFind: (text: string) => boolean;
  readonly find: (text: string) => Secret[];
}

/** Every token of a vendor is a run of printable ASCII characters as long as an AWS access key, except the short forms below. */
const LONG_RUN = /[!-~]{20}/;
/** The forms for which secretlint requires fewer characters: Slack tokens, and what follows `_authToken=` in an `.npmrc` file. */
const SHORT_FORM = /xox|xapp|_authToken=/;
/** The part of an address before its host, which has a password or a token. */
const ADDRESS_USER = /:\/\/[^\s/]*@/;

/** The detectors of all kinds, the most specific kinds first. */
export async function loadDetectors(): Promise<readonly Detector[]> {
  const findBySecretlint = await loadSecretlint();
  return [
    { mayFind: (text) => text.includes('-----BEGIN '), find: findPrivateKeys },
    { mayFind: (text) => LONG_RUN.test(text) || SHORT_FORM.test(text), find: findBySecretlint },
    patternDetector(LONG_RUN, VENDOR_TOKENS),
    patternDetector(LONG_RUN, SERVICE_TOKENS),
    patternDetector(ADDRESS_USER, [ADDRESS_PASSWORD, ADDRESS_TOKEN]),
    patternDetector(CREDENTIAL_NAME, NAMED_CREDENTIALS),
    patternDetector(SECRET_IN_CONTEXT, STATED_SECRETS),
  ];
}

function patternDetector(required: RegExp, patterns: readonly SecretPattern[]): Detector {
  return { mayFind: (text) => required.test(text), find: (text) => findPatterns(text, patterns) };
}

/** The length of the shortest detectable credential: a password of six characters with its name. */
const MIN_TEXT_LENGTH = 9;
const MAX_ROUNDS = 4;
let detectors: ReturnType<typeof loadDetectors> | null = null;

/**
 * Finds the credentials in a text, in order and without overlaps. Overlapping matches become one, of the most specific
 * kind.
 *
 * Uses no file, environment or network. Takes about 0.01 ms for a sentence after the first call, and a few seconds for the worst
 * megabyte: run long texts in a thread, with `SECRET_DETECTION`.
 *
 * Does not find credentials without a known format or a name, passphrases of several words, keys that are split over
 * lines (except private keys in PEM), encoded as a whole, or written in look-alike letters. Finds keys in spite of
 * invisible characters and full-width letters.
 *
 * @param name the name of the value, such as the key of a fact: with `password`, `hunter2` is a credential
 */
export async function detectSecrets(text: string, name = ''): Promise<readonly Secret[]> {
  const label = name === '' ? '' : `${name}: `;
  if (label.length + text.length < MIN_TEXT_LENGTH) return [];
  detectors ??= loadDetectors();
  const readable = readableText(label + text);
  return findAll(readable.text, await detectors).flatMap(({ kind, start, end }) => {
    const from = Math.max(0, readable.original(start) - label.length);
    const to = readable.original(end - 1) + 1 - label.length;
    return to > from ? [{ kind, start: from, end: to }] : [];
  });
}

/** `detectSecrets` as a task for a thread. */
export const SECRET_DETECTION: ThreadTask<[text: string, name?: string], readonly Secret[]> = {
  module: workerModule(import.meta.url, 'detect'),
  name: detectSecrets.name,
  inline: detectSecrets,
};

/**
 * The text with its secrets masked. Long texts are searched in the thread.
 * @param name as in `detectSecrets`
 */
export async function maskDetected(thread: TaskRunner, text: string, name = ''): Promise<string> {
  return maskSecrets(text, await thread.run(SECRET_DETECTION, [text, name], { size: text.length }));
}

/** A token next to another is only found once the other is masked. Therefore searches again, a limited number of times. */
function findAll(text: string, all: readonly Detector[]): readonly Secret[] {
  let found: readonly Secret[] = [];
  let rest = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const able = all.filter(({ mayFind }) => mayFind(rest));
    const matches = mergeOverlaps(able.flatMap(({ find }) => find(rest)));
    if (matches.length === 0) break;
    found = mergeOverlaps([...found, ...matches]);
    rest = blank(rest, matches);
  }
  return found;
}

/** Replaces secrets by brackets and spaces of the same length, which have the same effect on neighbours as a mask. */
function blank(text: string, secrets: readonly Secret[]): string {
  let from = 0;
  const parts = secrets.map(({ start, end }) => {
    const before = text.slice(from, start);
    from = end;
    return `${before}[${' '.repeat(end - start - 2)}]`;
  });
  return parts.join('') + text.slice(from);
}

/** Merges overlapping matches; the kind is that of the first in the list. */
function mergeOverlaps(found: readonly Secret[]): Secret[] {
  const ranked = found.map((secret, rank) => ({ ...secret, rank })).sort((a, b) => a.start - b.start);
  const merged: (typeof ranked)[number][] = [];
  for (const secret of ranked) {
    const last = merged.at(-1);
    if (last === undefined || secret.start >= last.end) {
      merged.push(secret);
      continue;
    }
    const first = secret.rank < last.rank ? secret : last;
    merged[merged.length - 1] = { ...first, start: last.start, end: Math.max(last.end, secret.end) };
  }
  return merged.map(({ kind, start, end }) => ({ kind, start, end }));
}

/** Masks the credentials in the texts of one answer, of which many are the same: each text is searched once. */
export class TextMask {
  readonly #thread: TaskRunner;
  readonly #masked = new Map<string, Promise<string>>();

  constructor(thread: TaskRunner) {
    this.#thread = thread;
  }

  text(text: string): Promise<string> {
    const known = this.#masked.get(text);
    if (known !== undefined) return known;
    const masked = maskDetected(this.#thread, text);
    this.#masked.set(text, masked);
    return masked;
  }

  texts(texts: readonly string[]): Promise<string[]> {
    return Promise.all(texts.map((text) => this.text(text)));
  }
}
