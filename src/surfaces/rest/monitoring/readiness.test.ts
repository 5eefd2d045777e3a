import { describe, expect, it } from 'vitest';
import { settings, temporaryFolder } from '../../../../test/contract/engines.ts';
import { openLoci } from '../../../engine/open.ts';
import { Readiness } from './readiness.ts';

describe('readiness', () => {
  it('is there while the store answers, until the server is to end', async () => {
    await using folder = await temporaryFolder();
    const loci = await openLoci(settings(folder.path));
    const readiness = new Readiness(() => Promise.resolve(loci));
    expect(await readiness.problem()).toBeNull();
    readiness.drain();
    expect(await readiness.problem()).toBe('the server is stopping');
    await loci.close();
  });

  it('says what is wrong, and asks no more than once in a while', async () => {
    await using folder = await temporaryFolder();
    let asked = 0;
    const readiness = new Readiness(() => {
      asked += 1;
      return openLoci(settings(folder.path), { create: false });
    });
    for (let i = 0; i < 3; i++) expect(await readiness.problem()).toContain('there is no store');
    expect(asked).toBe(1);
  });
});
