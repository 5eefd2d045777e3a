/** The API key of a provider. */

import { LociError } from '../../core/errors.ts';
import { secretAt } from '../../core/secret-place.ts';

const MASK = '********';

/** A section of the settings. */
export type KeySection = 'embedding' | 'rerank';

/** What a provider says about its address and key. */
export interface KeyOptions {
  /** The section of the settings that messages name; `embedding` unless given. */
  readonly section?: KeySection;
  /** Its address unless the settings have another. */
  readonly url?: string;
  /** The variable that has the key unless the settings name another place. */
  readonly keyVariable?: string;
  /** Whether it answers nobody without a key. */
  readonly needsKey: boolean;
}

export interface Key {
  /** An empty text if there is no key. */
  readonly value: string;
  /** The variable or file that has it. */
  readonly place: string;
}

/**
 * The key that the settings name. The variable of a provider is read for its own address only, since a URL may be left from another
 * provider.
 * @throws LociError `invalid_config` that names the place, and never a key
 */
export function readKey(
  reference: string | undefined,
  { url: ownUrl, keyVariable, needsKey, section = 'embedding' }: KeyOptions,
  url: URL,
): Key {
  const ofVariable = process.env[keyVariable ?? ''] ?? '';
  const isOwn = ownUrl === undefined || new URL(ownUrl).origin === url.origin;
  if (reference === undefined && !isOwn && needsKey && ofVariable !== '')
    throw new LociError(
      'invalid_config',
      `${section}.url is not the address of the provider, so that the key in ${keyVariable!} is not sent to ${url.origin}`,
      {
        hint:
          `If the key belongs there: \`loci config set ${section}.apiKey env:${keyVariable!}\`. ` +
          `If not: \`loci config set ${section}.url ${ownUrl}\`.`,
      },
    );
  const key =
    reference === undefined
      ? { value: isOwn ? ofVariable : '', place: keyVariable ?? '' }
      : secretAt(reference, `${section}.apiKey`, `LOCI_${section.toUpperCase()}_API_KEY`);
  if (key.value === '' && needsKey) {
    throw new LociError(
      'invalid_config',
      section === 'embedding'
        ? 'there is no API key for the embedding provider'
        : 'there is no API key for the reranker',
      {
        hint: `Set the variable ${keyVariable ?? `LOCI_${section.toUpperCase()}_API_KEY`}, or name another place in \`${section}.apiKey\`, such as \`env:NAME\`.`,
      },
    );
  }
  if (/[\u0000-\u0020\u007f-\uffff]/.test(key.value))
    throw new LociError(
      'invalid_config',
      `the API key of ${section === 'embedding' ? 'the embedding provider' : 'the reranker'} has a blank or a special character`,
    );
  return key;
}

/**
 * The text without keys, also without those that are escaped as JSON or have lost the blanks around them. Mask a text before it is
 * cut: a part of a key is not recognised.
 */
export function maskKeys(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => {
    const trimmed = secret.trim();
    return trimmed === '' ? [] : [secret, trimmed, JSON.stringify(trimmed).slice(1, -1)];
  });
  // A key may be a part of another.
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}
