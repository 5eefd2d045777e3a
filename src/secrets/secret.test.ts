import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CredentialSample, credentialSamples } from '../../test/contract/credential-samples.ts';
import { detectSecrets } from './detect.ts';
import { maskSecrets } from './secret.ts';

async function masked(text: string): Promise<string> {
  return maskSecrets(text, await detectSecrets(text));
}

const sample: fc.Arbitrary<CredentialSample> = fc.tuple(fc.nat(1000), fc.nat(1000)).map(([seed, pick]) => {
  const samples = credentialSamples(seed);
  return samples[pick % samples.length]!;
});
/** Text without digits, which no rule takes for a credential. */
const prose = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((text) => text.normalize('NFKC').replaceAll(/[\d\p{P}\p{S}]/gu, ' '));
const note = fc.array(fc.record({ words: prose, sample }), { minLength: 1, maxLength: 5 });

describe('maskSecrets', () => {
  it('names the kind of the secret, and reveals no part of it', async () => {
    const { secret = '' } = credentialSamples(1)[1] ?? {};
    expect(await masked(`key ${secret}, password=hunter2`)).toBe(
      'key [secret masked: AWS access key], password=[secret masked: password]',
    );
  });

  it('replaces each secret completely, keeps everything else, and is idempotent', async () => {
    // A list of recovery codes goes on until a line with words.
    const check = async (parts: readonly { words: string; sample: CredentialSample }[]): Promise<void> => {
      const text = parts
        .map(({ words, sample: s }) => `Next ${words}\n${s.before}${s.secret}${s.after}\n`)
        .join('');
      const expected = parts
        .map(({ words, sample: s }) => `Next ${words}\n${s.before}[secret masked: ${s.kind}]${s.after}\n`)
        .join('');
      const result = await masked(text);
      expect(result).toBe(expected);
      expect(await masked(result)).toBe(result);
      for (const { sample: s } of parts) {
        // The first and last lines of a key and the owner's address are not secret.
        const body = s.secret.replaceAll(/-----[^-]+-----|https:\/\/\S+\/services\//g, '');
        for (let at = 0; at + 8 <= body.length; at += 1) expect(result).not.toContain(body.slice(at, at + 8));
      }
    };
    await fc.assert(fc.asyncProperty(note, check), { numRuns: 60 });
  });

  it('masks adjacent secrets in one pass', async () => {
    const adjacent = fc.array(
      fc.oneof(
        sample.map(({ secret }) => secret),
        fc.constantFrom('', '-', '_', '=', ':', '/', '.'),
      ),
      {
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(adjacent, async (parts) => {
        const once = await masked(parts.join(''));
        expect(await masked(once)).toBe(once);
      }),
      { numRuns: 200 },
    );
  });

  it('returns a text without secrets unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), prose, async (raw, words) => {
        const text = raw.replaceAll(/\p{N}/gu, '');
        expect(await masked(text + words)).toBe(text + words);
      }),
    );
  });
});
