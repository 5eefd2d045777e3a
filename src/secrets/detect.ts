import type { ThreadTask } from '../core/threads/task-thread.ts';
import { workerModule } from '../core/threads/worker-module.ts';
import { ADDRESS_PASSWORD, ADDRESS_TOKEN } from './address-passwords.ts';
import { NAMED_CREDENTIALS } from './named-credentials.ts';
import { findPrivateKeys } from './private-keys.ts';
import { readableText } from './readable-text.ts';
import { findPatterns, type Secret, type SecretPattern } from './secret.ts';
import { loadSecretlint } from './secretlint.ts';
import { VENDOR_TOKENS } from './vendor-tokens.ts';

/** Shorter than the shortest credential that is known: a password of six characters and what names it. */
const SHORTEST = 9;
const MAX_ROUNDS = 4;
/** The most telling kinds first. */
const PATTERNS: readonly SecretPattern[] = [
  ...VENDOR_TOKENS,
  ADDRESS_PASSWORD,
  ADDRESS_TOKEN,
  ...NAMED_CREDENTIALS,
];

let secretlint: ReturnType<typeof loadSecretlint> | null = null;

/**
 * The credentials in a text, in order and apart: finds that overlap are one, of the kind that says most.
 *
 * Nothing but the text is looked at: no file, no environment, no network. Takes some 0.1 ms for a note of 1 KB once
 * warm, and a few seconds for the worst megabyte: give long texts to a thread, as `SECRET_DETECTION`.
 *
 * Not found: what no format and no name tells from prose, passphrases of several words, keys that are split over lines
 * (private keys in PEM are), encoded as a whole, or written in look-alike letters. Invisible characters within a key
 * and full-width letters hide nothing.
 *
 * @param name what the text is the value of, such as a fact's key: `password` tells that `hunter2` is one
 */
export async function detectSecrets(text: string, name = ''): Promise<readonly Secret[]> {
  const label = name === '' ? '' : `${name}: `;
  if (label.length + text.length < SHORTEST) return [];
  secretlint ??= loadSecretlint();
  const readable = readableText(label + text);
  return findAll(readable.text, await secretlint).flatMap(({ kind, start, end }) => {
    const from = Math.max(0, readable.original(start) - label.length);
    const to = readable.original(end - 1) + 1 - label.length;
    return to > from ? [{ kind, start: from, end: to }] : [];
  });
}

/** Detection of secrets for a thread. */
export const SECRET_DETECTION: ThreadTask<[text: string, name?: string], readonly Secret[]> = {
  module: workerModule(import.meta.url, 'detect'),
  name: detectSecrets.name,
  inline: detectSecrets,
};

/** A token that touches another is only known once that one is masked. Looks again for such, and not for ever. */
function findAll(text: string, findBySecretlint: (text: string) => Secret[]): readonly Secret[] {
  let found: readonly Secret[] = [];
  let rest = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const more = apart([
      ...findPrivateKeys(rest),
      ...findBySecretlint(rest),
      ...findPatterns(rest, PATTERNS),
    ]);
    if (more.length === 0) break;
    found = apart([...found, ...more]);
    rest = blank(rest, more);
  }
  return found;
}

/** Puts brackets and spaces in the places of secrets: to what stands beside them the same as a mask, and as long. */
function blank(text: string, secrets: readonly Secret[]): string {
  let from = 0;
  const parts = secrets.map(({ start, end }) => {
    const before = text.slice(from, start);
    from = end;
    return `${before}[${' '.repeat(end - start - 2)}]`;
  });
  return parts.join('') + text.slice(from);
}

/** What overlaps becomes one, of the kind that stands first in the list. */
function apart(found: readonly Secret[]): Secret[] {
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
