import { describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { Readiness } from './monitoring.ts';

describe('readiness', () => {
  it('is reported while the store answers and the server is not stopping', async () => {
    await using folder = await temporaryFolder();
    const loci = await openInline(settings(folder.path));
    const readiness = new Readiness(() => Promise.resolve(loci));
    expect(await readiness.problem()).toBeNull();
    readiness.drain();
    expect(await readiness.problem()).toBe('the server is stopping');
    await loci.close();
  });

  it('reports the problem, and caches the check', async () => {
    await using folder = await temporaryFolder();
    let checks = 0;
    const readiness = new Readiness(() => {
      checks += 1;
      return openInline(settings(folder.path), { create: false });
    });
    for (let i = 0; i < 3; i++) expect(await readiness.problem()).toContain('there is no store');
    expect(checks).toBe(1);
  });
});
