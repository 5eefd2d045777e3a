import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { credentialSamples } from '../../test/contract/credential-samples.ts';
import { repetitions } from '../../test/repetitions.ts';
import { type Detector, loadDetectors } from './detectors.ts';
import { ADDRESS_PASSWORD, ADDRESS_TOKEN, NAMED_CREDENTIALS } from './named-credentials.ts';
import type { SecretPattern } from './secret.ts';
import { SERVICE_TOKENS } from './service-tokens.ts';
import { STATED_SECRETS } from './stated-secrets.ts';
import { VENDOR_TOKENS } from './vendor-tokens.ts';

const LISTS = [
  VENDOR_TOKENS,
  SERVICE_TOKENS,
  [ADDRESS_PASSWORD, ADDRESS_TOKEN],
  NAMED_CREDENTIALS,
  STATED_SECRETS,
] as const;
const PATTERNS = LISTS.flat();
const LOOKAROUND = /\(\?<?[!=](?:\[(?:\\.|[^\]\\])*\]|[^()[\]])*\)/g;

let detectors: readonly Detector[];

beforeAll(async () => {
  detectors = await loadDetectors();
});

/** Texts that match a pattern, except perhaps for what is before and after the match. */
function matching({ pattern }: SecretPattern): fc.Arbitrary<string> {
  const source = pattern.source
    .replace(LOOKAROUND, '')
    .replaceAll(String.raw`\b`, '')
    .replaceAll(String.raw`\p{L}`, 'a-z');
  return fc.stringMatching(new RegExp(source, 'u'), { size: '-1' });
}

/** The same in capitals, or with letters that are equal to ASCII letters when case is ignored. */
const spelled = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(texts, fc.constantFrom(...(['as is', 'as is', 'upper', 'title', 'kelvin'] as const)))
    .map(([text, form]) => {
      if (form === 'upper') return text.toUpperCase();
      if (form === 'title') return text.slice(0, 1).toUpperCase() + text.slice(1);
      return form === 'kelvin' ? text.replaceAll('k', '\u212a').replaceAll('s', '\u017f') : text;
    });

const SHORT_FORMS = ['xoxb-a-b', 'xapp-1-a-b', 'xoxr-a-b', '_authToken=x'];
const samples = credentialSamples(1).map(({ before, secret, after }) => before + secret + after);

const piece = fc.oneof(
  ...PATTERNS.map((pattern) => spelled(matching(pattern))),
  { weight: 10, arbitrary: spelled(fc.constantFrom(...samples)) },
  { weight: 3, arbitrary: fc.constantFrom(...SHORT_FORMS) },
  { weight: 5, arbitrary: fc.string({ maxLength: 20 }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(' ', '\n', ' is ', ': ', '="', '密码是', 'monkey', 'https://example.org/a@b'),
  },
);

describe('the quick test of a detector', () => {
  it('is true for every text in which the detector finds something', () => {
    const found = new Set<Detector>();
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
        const text = pieces.join('');
        for (const detector of detectors) {
          if (detector.find(text).length === 0) continue;
          found.add(detector);
          expect(detector.mayFind(text)).toBe(true);
        }
      }),
      // The samples have something for every detector.
      { numRuns: repetitions(500, 10_000) + samples.length, examples: samples.map((sample) => [[sample]]) },
    );
    expect(found.size).toBe(detectors.length);
  });

  it.each(PATTERNS.map((pattern, i) => [i, pattern.kind, pattern] as const))(
    'is true for what pattern %i, %s, matches',
    (_, __, secretPattern) => {
      let matches = 0;
      fc.assert(
        fc.property(matching(secretPattern), (text) => {
          secretPattern.pattern.lastIndex = 0;
          if (!secretPattern.pattern.test(text)) return;
          matches += 1;
          const list = LISTS.findIndex((patterns) => patterns.includes(secretPattern));
          expect(detectors[2 + list]?.mayFind(text)).toBe(true);
        }),
      );
      expect(matches).toBeGreaterThan(0);
    },
  );

  it.each(samples.map((sample) => [sample]))('is true for the sample %#', (sample) => {
    expect(detectors.some(({ mayFind }) => mayFind(sample))).toBe(true);
  });

  it('is false for a sentence without a credential', () => {
    for (const text of [
      'The oven came on Monday, after two calls with Miller Brothers.',
      'Budget 2026',
      '会议在周五',
    ])
      expect(detectors.map(({ mayFind }) => mayFind(text))).toEqual(detectors.map(() => false));
  });
});
