import { describe, expect, it } from 'vitest';
import { MASK, maskSecret } from './secrets.ts';

describe('maskSecret', () => {
  it.each(['embedding.apiKey', 'auth.token', 'store.password', 'api_key', 'clientSecret', 'credentials'])(
    'masks %s',
    (path) => expect(maskSecret(path, 'sk-1234')).toBe(MASK),
  );

  it.each(['namespace', 'store.path', 'index.passageTokens', 'search.weights.text', 'keyboard', 'monkey'])(
    'shows %s',
    (path) => expect(maskSecret(path, 'plain')).toBe('plain'),
  );

  it('leaves what is not set as it is', () => expect(maskSecret('auth.jwt.secret', null)).toBeNull());

  it('masks the password of a URL, and nothing else of it', () => {
    expect(maskSecret('store.path', 'postgres://loci:hunter2@db.example:5432/loci')).toBe(
      `postgres://loci:${MASK}@db.example:5432/loci`,
    );
    expect(maskSecret('url', 'https://ghp_123@example.org/x')).toBe(`https://${MASK}@example.org/x`);
    expect(maskSecret('url', 'https://example.org/a@b')).toBe('https://example.org/a@b');
  });

  it('looks into lists and maps', () => {
    expect(maskSecret('sources', [{ id: 'a', token: 't', url: 'https://u:p@h' }])).toEqual([
      { id: 'a', token: MASK, url: `https://u:${MASK}@h` },
    ]);
  });
});
