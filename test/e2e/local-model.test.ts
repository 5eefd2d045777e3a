import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DoctorOutput } from '../../src/engine/health/check.ts';
import type { IndexOutput } from '../../src/operations/nouns/index-notes.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type { StatusOutput } from '../../src/engine/health/status.ts';
import { loci, lociJson, startLoci, temporaryFolder } from './loci-command.ts';

const NOTES = {
  'Stove.md': 'We chose an induction oven over gas because of the asthma in the family.',
  'Garden.md': 'Beans, peas and garlic go into the second bed after the frost.',
  'Car.md': 'The brakes were replaced in March; winter tyres are in the shed.',
};

describe('the bundled model', () => {
  it('finds a text that has no word of the query, and lets the process end', async () => {
    const home = temporaryFolder();
    const env = { LOCI_EMBEDDING_PROVIDER: 'local' };
    const vault = join(temporaryFolder(), 'vault');
    mkdirSync(vault);
    for (const [name, text] of Object.entries(NOTES)) writeFileSync(join(vault, name), text);

    const indexed = await startLoci(['index', vault, '--json'], { home, env }).ended;
    expect(indexed).toMatchObject({ code: 0 });
    expect(JSON.parse(indexed.stdout) as IndexOutput).toMatchObject({ embedded: 3, vaults: [{ added: 3 }] });

    const question = 'how do people cook in this household';
    const withoutModel = await lociJson<SearchOutput>(['search', question, '--min-score', '0'], { home });
    const withModel = await lociJson<SearchOutput>(['search', question, '--min-score', '0', '--explain'], {
      home,
      env,
    });
    expect(withoutModel.results.map(({ title }) => title)).not.toContain('Stove');
    expect(withoutModel.provider).toBe('none');
    expect(withModel.results[0]).toMatchObject({
      title: 'Stove',
      why: expect.stringContaining('meaning #1') as string,
    });
    expect(withModel.results[0]?.explanation?.signals).toContainEqual(
      expect.objectContaining({ signal: 'vector', rank: 1 }),
    );
    expect(withModel.provider).toMatch(/^local\//);

    const status = await lociJson<StatusOutput>(['status'], { home, env });
    expect(status.embedding).toMatchObject({ provider: 'local', vectors: 3, pending: 0, dimensions: 384 });
    const written = await lociJson(['write', 'The tent leaks at the zip'], { home, env });
    expect(written).toMatchObject({ embedded: true, why: null });
    const doctor = await loci(['doctor'], { home, env });
    expect(doctor).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ok +embedding +local/) as string,
    });
    // Without a model, the record has no vector. The bundled model refuses no text.
    await lociJson(['write', 'The tent pegs are bent'], { home });
    const { missing } = await lociJson<SearchOutput>(['search', 'tent pegs'], { home, env });
    const why = 'some of what matches has no vector yet; `loci index` embeds it';
    expect(missing).toEqual([{ signal: 'vector', why }]);
  });

  it('shows the words with which another note links to a result', async () => {
    const home = temporaryFolder();
    const env = { LOCI_EMBEDDING_PROVIDER: 'local' };
    const vault = join(temporaryFolder(), 'vault');
    mkdirSync(vault);
    const start = '- [[Stove|big one this autumn]]\n- [[Garden]]';
    for (const [name, text] of Object.entries({ ...NOTES, 'Start here.md': start }))
      writeFileSync(join(vault, name), text);
    await loci(['index', vault], { home, env });

    const query = 'the big one this autumn';
    const { results } = await lociJson<SearchOutput>(['search', query, '--explain'], { home, env });
    const stove = results.find(({ title }) => title === 'Stove');
    expect(stove).toMatchObject({
      linked_as: { text: 'big one this autumn', title: 'Start here' },
      why: expect.stringContaining('links of other notes') as string,
    });
    expect(stove!.snippet).not.toContain('autumn');
    expect(results.find(({ title }) => title === 'Start here')!.linked_as).toBeUndefined();
    const { stdout } = await loci(['search', query], { home, env });
    expect(stdout).toContain('linked in [[Start here]] as “big one this autumn”');
  });

  it('that is disabled and enabled again needs only `loci index`', async () => {
    const home = temporaryFolder();
    const vault = join(temporaryFolder(), 'vault');
    mkdirSync(vault);
    // The model counts far more tokens in this text than the estimate does, so the passages are cut at other positions.
    writeFileSync(join(vault, 'odd.md'), 'zyqxw vbnmk plkjh qwrtz '.repeat(60));
    const settings = (provider: string) => ({
      home,
      env: { LOCI_EMBEDDING_PROVIDER: provider },
    });
    const problemsOf = async (provider: string) => {
      const { stdout } = await loci(['doctor', '--json'], settings(provider));
      const { checks } = JSON.parse(stdout) as DoctorOutput;
      return checks.filter(({ result }) => result !== 'ok').map(({ name, hint }) => [name, hint]);
    };
    await loci(['index', vault], settings('local'));
    expect(await problemsOf('local')).toEqual([]);
    expect(await problemsOf('none')).toEqual([['derived', 'Run `loci index`.']]);
    await loci(['index'], settings('none'));
    expect(await problemsOf('none')).toEqual([]);
    expect(await problemsOf('local')).toEqual([
      ['derived', 'Run `loci index`.'],
      ['embedding', 'Run `loci index`.'],
    ]);
    await loci(['index'], settings('local'));
    expect(await problemsOf('local')).toEqual([]);
  });
});
