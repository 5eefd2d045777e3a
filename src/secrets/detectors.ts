import { ADDRESS_PASSWORD, ADDRESS_TOKEN, CREDENTIAL_NAME, NAMED_CREDENTIALS } from './named-credentials.ts';
import { findPrivateKeys } from './private-keys.ts';
import { findPatterns, type Secret, type SecretPattern } from './secret.ts';
import { loadSecretlint } from './secretlint.ts';
import { SERVICE_TOKENS } from './service-tokens.ts';
import { SECRET_IN_CONTEXT, STATED_SECRETS } from './stated-secrets.ts';
import { VENDOR_TOKENS } from './vendor-tokens.ts';

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
