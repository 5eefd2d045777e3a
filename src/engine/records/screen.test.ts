import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { credentialSamples } from '../../../test/contract/credential-samples.ts';
import { folderForEach, openInline, settings } from '../../../test/contract/engines.ts';
import { filesContaining } from '../../../test/contract/raw-file.ts';
import type { EngineContext } from '../context.ts';
import { write } from './write.ts';
import { storeFact, listFacts, recallFact, forgetFacts } from '../facts/facts.ts';
import { get } from './get.ts';
import { update } from './update.ts';
import { setStartup } from '../startup/startup.ts';
import { audit } from '../audit/read-audit.ts';

const folder = folderForEach();

async function withLoci<Result>(
  secrets: string,
  work: (loci: EngineContext) => Promise<Result>,
): Promise<Result> {
  const loci = await openInline(settings(folder.path, { writes: { secrets } }));
  try {
    return await work(loci);
  } finally {
    await loci.close();
  }
}

const [sample] = credentialSamples(1).filter(({ before, after }) => before + after === '');
if (sample === undefined) throw new Error('there are no samples');
const { kind, secret } = sample;

describe('personal numbers in written content', () => {
  it('are masked with `writes.maskPersonal`, also where secrets are allowed, in records, facts and runs', async () => {
    const card = ['4111', '1111', '1111', '1111'].join(' ');
    for (const [secrets, maskPersonal] of [
      ['mask', true],
      ['allow', true],
    ] as const) {
      const loci = await openInline(settings(folder.path, { writes: { secrets, maskPersonal } }));
      const { masked } = await write(loci, { content: `My card is ${card}.`, tags: [card] });
      expect(masked).toEqual(['card number']);
      await storeFact(loci, { key: 'card', value: card });
      await loci.close();
    }
    expect(filesContaining(folder.path, card)).toEqual([]);
    await withLoci('mask', (loci) => write(loci, { content: `It is ${card}.` }));
    expect(filesContaining(folder.path, card)).not.toEqual([]);
  });
});

describe('a name with a secret', () => {
  const card = ['4111', '1111', '1111', '1111'].join(' ');
  const value = { value: 'door A' };
  it.each([
    ['a key', { key: 'My PIN is 4821', ...value }, 'key', 'PIN', 'My PIN is 4821'],
    ['a key with a token', { key: `of ${secret}`, ...value }, 'key', kind, secret],
    ['a key with a personal number', { key: `card ${card}`, ...value }, 'key', 'card number', card],
    ['a category', { key: 'k', category: 'My PIN is 4821', ...value }, 'category', 'PIN', 'My PIN is 4821'],
  ])('is refused, because masks would make facts equal: %s', async (_case, fact, field, of, text) => {
    const loci = await openInline(settings(folder.path, { writes: { maskPersonal: true } }));
    await expect(storeFact(loci, fact)).rejects.toMatchObject({
      code: 'invalid_input',
      message: `the ${field} has what looks like a secret: ${of}`,
    });
    expect((await listFacts(loci, { limit: 5 })).total).toBe(0);
    await loci.close();
    expect(filesContaining(folder.path, text)).toEqual([]);
  });

  it('is found and forgotten if it was stored before', async () => {
    const keys = ['My PIN is 4821', 'My PIN is 9933'] as const;
    await withLoci('allow', async (loci) => {
      for (const key of keys) await storeFact(loci, { key, value: `of ${key}` });
    });
    await withLoci('mask', async (loci) => {
      expect((await recallFact(loci, { key: keys[0] })).value).toBe(`of ${keys[0]}`);
      await forgetFacts(loci, { key: keys[0] });
      expect((await listFacts(loci, { limit: 5 })).facts.map(({ key }) => key)).toEqual([keys[1]]);
    });
  });
});

describe('secrets in written content', () => {
  it('are masked in every field before anything reaches the disk, and reported', async () => {
    await withLoci('mask', async (loci) => {
      const { id, masked } = await write(loci, {
        content: `The key of the server is: ${secret}\nKeep it safe.`,
        title: `Key ${secret}`,
        tags: ['server', secret],
        metadata: { note: { inner: [secret] } },
      });
      expect(masked).toContain(kind);
      expect((await get(loci, { citation: `record/${String(id)}` })).text).toMatch(
        /\[secret masked: .+\]\nKeep it safe\.$/,
      );
      await update(loci, { id, content: `Now it is ${secret}.` });
      await storeFact(loci, { key: 'server', value: secret });
      await storeFact(loci, { key: 'wifi_password', value: 'hunter2hunter2' });
      await setStartup(loci, { key: 'rules', content: `Use ${secret}` });
      expect(filesContaining(folder.path, secret)).toEqual([]);
    });
    expect(filesContaining(folder.path, secret)).toEqual([]);
    expect(filesContaining(folder.path, 'hunter2hunter2')).toEqual([]);
    expect(filesContaining(folder.path, 'Keep it safe.')).not.toEqual([]);
  });

  it('are refused with `writes.secrets: refuse`, and nothing is written', async () => {
    await withLoci('refuse', async (loci) => {
      const expected = { code: 'secret_refused', message: `content holds a secret: ${kind}` };
      await expect(write(loci, { content: secret })).rejects.toMatchObject(expected);
      await expect(storeFact(loci, { key: 'server', value: secret })).rejects.toMatchObject(expected);
      expect((await audit(loci, { limit: 10 })).entries).toEqual([]);
      expect((await listFacts(loci, { limit: 10 })).total).toBe(0);
      await write(loci, { content: 'The plumber is called Tove, quite openly.' });
    });
    expect(filesContaining(folder.path, secret)).toEqual([]);
    expect(filesContaining(join(folder.path), 'quite openly')).not.toEqual([]);
  });

  it('are stored with `writes.secrets: allow`', async () => {
    await withLoci('allow', async (loci) => {
      const { id, masked } = await write(loci, { content: secret });
      expect(masked).toEqual([]);
      expect((await get(loci, { citation: `record/${String(id)}` })).text).toBe(secret);
    });
  });
});
