import type { Span } from '../../core/types.ts';
import { detectSecrets } from '../../secrets/detect.ts';
import { MAX_NAME_LENGTH, nameKey } from '../../core/names/name.ts';

/** The credentials in the text of a record. A name with one would be shown without the words by which it is detected. */
export interface Credentials {
  /** In order and without overlaps. */
  readonly spans: readonly Span[];
  /** As names are compared, so that another way to write one is found too. */
  readonly keys: ReadonlySet<string>;
  /** The most words that one has. */
  readonly maxWords: number;
  /** Those without words, as written. */
  readonly wordless: readonly string[];
}

export async function credentialsIn(text: string): Promise<Credentials> {
  const spans = await detectSecrets(text);
  const values = spans
    .filter(({ start, end }) => end - start <= MAX_NAME_LENGTH)
    .map(({ start, end }) => text.slice(start, end));
  const keys = new Set(values.map(nameKey));
  keys.delete('');
  const wordless = [...new Set(values.filter((value) => nameKey(value) === ''))];
  const maxWords = [...keys].reduce((most, key) => Math.max(most, key.split(' ').length), 0);
  return { spans, keys, maxWords, wordless };
}

/** Whether a name has one of the credentials. */
export function hasCredential(name: string, key: string, { keys, maxWords, wordless }: Credentials): boolean {
  if (wordless.some((value) => name.includes(value))) return true;
  const words = maxWords === 0 ? [] : key.split(' ');
  return words.some((_, first) =>
    words
      .slice(first, first + maxWords)
      .some((__, length) => keys.has(words.slice(first, first + length + 1).join(' '))),
  );
}

/** Names of the properties, such as aliases, without those that have a credential of the text or are one themselves. */
export async function withoutCredentials(
  names: readonly string[],
  credentials: Credentials,
): Promise<string[]> {
  const kept = await Promise.all(
    names.map(
      async (name) =>
        !hasCredential(name, nameKey(name), credentials) && (await detectSecrets(name)).length === 0,
    ),
  );
  return names.filter((_, i) => kept[i]);
}
