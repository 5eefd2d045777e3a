import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
});
