import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

describe('an empty vault', () => {
  it('is not the reason why a search finds nothing, but a vault that was never read is', async () => {
    const home = join(temporaryFolder(), 'home');
    await loci(['write', 'The plumber is Tove.'], { home });
    const empty = join(temporaryFolder(), 'empty');
    mkdirSync(empty);
    await loci(['index', empty], { home });
    const search = () => loci(['search', 'zebra'], { home });
    expect((await search()).stdout).toBe(
      'No results for "zebra".\nTry other words or fewer filters; `loci status` shows what is stored.\n',
    );
    appendFileSync(join(home, 'loci.yaml'), `  - name: later\n    path: ${empty}\n`);
    expect((await search()).stdout).toContain('Not indexed yet: later. Run `loci index`.');
    const { nothing } = await lociJson<SearchOutput>(['search', 'zebra'], { home });
    expect(nothing?.unread_vaults).toEqual(['later']);
  });

  it('that is alone is an empty namespace', async () => {
    const options = { home: join(temporaryFolder(), 'home') };
    await loci(['index', temporaryFolder()], options);
    expect((await loci(['search', 'zebra'], options)).stdout).toContain('The namespace default is empty');
  });
});
