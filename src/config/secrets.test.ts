import { describe, expect, it } from 'vitest';
import { isKeyItself, MASKED_VALUE, maskSecret, shownSetting } from './secrets.ts';

describe('maskSecret', () => {
  it.each([
    'embedding.apiKey',
    'auth.token',
    'store.password',
    'api_key',
    'clientSecret',
    'credentials',
    'store.connectionString',
    'store.directConnectionString',
    'store.replicaConnectionString',
  ])('masks %s', (path) => expect(maskSecret(path, 'sk-1234')).toBe(MASKED_VALUE));

  it.each(['namespace', 'store.path', 'search.limit', 'search.weights.text', 'keyboard', 'monkey'])(
    'shows %s',
    (path) => expect(maskSecret(path, 'plain')).toBe('plain'),
  );

  it('leaves an unset value', () => expect(maskSecret('auth.jwt.secret', null)).toBeNull());

  it('masks only the password of a URL', () => {
    expect(maskSecret('store.path', 'postgres://loci:hunter2@db.example:5432/loci')).toBe(
      `postgres://loci:${MASKED_VALUE}@db.example:5432/loci`,
    );
    expect(maskSecret('url', 'https://ghp_123@example.org/x')).toBe(`https://${MASKED_VALUE}@example.org/x`);
    expect(maskSecret('url', 'https://example.org/a@b')).toBe('https://example.org/a@b');
  });

  it.each([
    'key',
    'api_key',
    'apiKey',
    'token',
    'sig',
    'signature',
    'password',
    'access_token',
    'X-Amz-Signature',
  ])('masks the parameter %s of a URL', (name) => {
    for (const [before, after] of [
      ['?', ''],
      ['?model=a&', '&dimensions=3#top'],
    ] as const)
      expect(maskSecret('embedding.url', `https://host/v1${before}${name}=hunter2${after}`)).toBe(
        `https://host/v1${before}${name}=${MASKED_VALUE}${after}`,
      );
  });

  it('shows other parameters', () => {
    const url = 'https://host/v1?keyboard=de&monkey=a&design=b&tokens=5';
    expect(maskSecret('embedding.url', url)).toBe(url);
  });

  it.each([
    ['sources', [{ env: ['TODO_TOKEN'] }], [{ env: ['TODO_TOKEN'] }]],
    ['sources', [{ env: { TOKEN: 'hunter2' } }], [{ env: MASKED_VALUE }]],
    ['sources', { env: 'hunter2' }, { env: MASKED_VALUE }],
    ['sources[0].env', ['A=hunter2', { B: 'hunter2' }, 'C'], [MASKED_VALUE, MASKED_VALUE, 'C']],
    ['sources[0].env[0]', 'hunter2', MASKED_VALUE],
    ['sources[0].env.TODO', 'hunter2', MASKED_VALUE],
    ['environment', 'plain', 'plain'],
  ])('masks what is no name of a variable under env: %s %j', (path, value, shown) => {
    expect(maskSecret(path, value)).toEqual(shown);
  });

  it('masks secrets in lists and maps', () => {
    expect(maskSecret('sources', [{ id: 'a', token: 't', url: 'https://u:p@h' }])).toEqual([
      { id: 'a', token: MASKED_VALUE, url: `https://u:${MASKED_VALUE}@h` },
    ]);
  });
});

describe('a setting that names the place of a key', () => {
  it.each(['embedding.apiKey', 'rerank.apiKey'])(
    'is shown if it does, and masked if it is the key: %s',
    (path) => {
      for (const place of ['env:OPENAI_API_KEY', 'file:/run/secrets/key']) {
        expect(shownSetting(path, place)).toBe(place);
        expect(isKeyItself(path, place)).toBe(false);
      }
      expect(shownSetting(path, 'sk-1234')).toBe(MASKED_VALUE);
      expect(isKeyItself(path, 'sk-1234')).toBe(true);
      expect(isKeyItself(path, null)).toBe(false);
    },
  );

  it('is not every setting', () => {
    expect(shownSetting('auth.jwt.secret', 'env:NAME')).toBe(MASKED_VALUE);
    expect([shownSetting('namespace', 'mine'), isKeyItself('namespace', 'mine')]).toEqual(['mine', false]);
  });
});
