import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DoctorOutput } from '../../src/engine/health/check.ts';
import type { IndexOutput } from '../../src/operations/nouns/index-notes.ts';
import type { InitOutput } from '../../src/operations/nouns/settings.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type { ImportOutput } from '../../src/engine/portable/import-report.ts';
import { loci, lociJson, startLoci, temporaryFolder } from './loci-command.ts';

describe('a home', () => {
  it('is created with access only for its owner, and is not changed the second time', async () => {
    const home = join(temporaryFolder(), 'deep', 'home');
    const first = await lociJson<InitOutput>(['config', 'init'], { home });
    expect(first.created).toEqual(['home', 'config', 'store']);
    for (const path of [home, first.config_file, first.store]) expect(statSync(path).mode & 0o077).toBe(0);
    expect((await loci(['config', 'show'], { home })).stdout).toMatch(
      /^auth\.jwt\.secret +default +not set$/m,
    );
    const text = readFileSync(first.config_file, 'utf8');
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
    expect((await loci(['config', 'init'], { home })).stdout).toMatch(
      /^Everything exists already; nothing was changed[^]*\nNext: loci index ~\/your-notes\n$/,
    );
    expect(readFileSync(first.config_file, 'utf8')).toBe(text);
    const uncommented = text.replaceAll(/^#(?! )|^#(?= {2})/gm, '');
    writeFileSync(first.config_file, uncommented);
    const shown = await loci(['config', 'show'], { home });
    expect(shown.stdout).toMatch(/^search\.limit +loci\.yaml:\d+ +10$/m);
  });

  it('is not created by a dry run of an import, which reports the same as the import', async () => {
    const [home, folder, temporary] = [join(temporaryFolder(), 'home'), temporaryFolder(), temporaryFolder()];
    writeFileSync(join(folder, 'MEMORY.md'), '# Memory\n\n- The plumber is Tove.\n- The oven is gas.\n');
    const options = { home, env: { TMPDIR: temporary } };
    const dry = await startLoci(['import', folder, '--dry-run', '--json'], options).ended;
    // A slow machine shows its progress.
    expect(dry).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^(loci: reading .*\n)*$/) as unknown,
    });
    expect([existsSync(home), readdirSync(temporary)]).toEqual([false, []]);
    const imported = await lociJson<ImportOutput>(['import', folder], options);
    const { records, changes } = JSON.parse(dry.stdout) as ImportOutput;
    expect(records).toEqual(imported.records);
    expect(changes).toHaveLength(records.added);
    const again = await lociJson<ImportOutput>(['import', folder, '--dry-run'], options);
    expect(again.records).toMatchObject({ added: 0, unchanged: records.added });
  });

  it('is checked by doctor for files that others can read, unknown settings and missing files', async () => {
    const home = join(temporaryFolder(), 'home');
    mkdirSync(home, { mode: 0o755 });
    const { code, stdout } = await loci(['doctor', '--json'], { home, env: { LOCI_SEARCH_LIMMIT: '3' } });
    const { checks, healthy } = JSON.parse(stdout) as DoctorOutput;
    expect({ code, healthy }).toEqual({ code: 1, healthy: false });
    const checksOf = (name: string) => checks.filter((check) => check.name === name);
    expect(checksOf('privacy')).toMatchObject([{ result: 'warning', hint: `Run: chmod 700 "${home}"` }]);
    expect(checksOf('settings')[0]).toMatchObject({
      result: 'ok',
      detail: `there is no ${join(home, 'loci.yaml')}: the defaults apply, except LOCI_EMBEDDING_PROVIDER`,
    });
    expect(checksOf('settings')[1]).toMatchObject({
      result: 'warning',
      detail: expect.stringContaining('LOCI_SEARCH_LIMIT'),
    });
    expect(checksOf('store')).toMatchObject([
      { result: 'failed', hint: expect.stringContaining('loci config init') },
    ]);
    expect(existsSync(join(home, 'loci.db'))).toBe(false);
    await loci(['config', 'init'], { home });
    await loci(['write', 'x'], { home });
    chmodSync(join(home, 'loci.db'), 0o644);
    const advice = (await loci(['doctor'], { home })).stdout;
    expect(advice).toContain(`Run: chmod 700 "${home}" && chmod 600 "${join(home, 'loci.db')}"`);
    expect(advice.match(/privacy/g)).toHaveLength(1);
    for (const [path, mode] of [[home, 0o700] as const, [join(home, 'loci.db'), 0o600] as const])
      chmodSync(path, mode);
    expect((await loci(['doctor'], { home })).stdout).toMatch(
      /^ok +privacy +only you can read \S+ and \S+loci\.db$/m,
    );
    writeFileSync(join(home, 'loci.yaml'), 'serach: {}\n');
    expect((await loci(['doctor'], { home })).stdout).toMatch(/failed +settings +.*did you mean search\?/);
  });
});

describe('folders', () => {
  const home = join(temporaryFolder(), 'home');
  const folders = temporaryFolder();
  const [first, second] = [join(folders, 'a', 'notes'), join(folders, 'b', 'notes')];

  beforeAll(() => {
    for (const folder of [first, second]) mkdirSync(join(folder, 'sub'), { recursive: true });
    writeFileSync(join(first, 'one.md'), 'Aardvarks sleep by day.');
    writeFileSync(join(second, 'one.md'), 'Bandicoots sleep by day.');
  });

  it('with the same name stay separate, and a citation identifies the right one', async () => {
    const { vaults, configured } = await lociJson<IndexOutput>(['index', first, second, first], { home });
    expect(vaults.map(({ name, added }) => [name, added])).toEqual([
      ['notes', 1],
      ['notes-2', 1],
    ]);
    expect(configured).toEqual(['notes', 'notes-2']);
    const { results } = await lociJson<SearchOutput>(['search', 'bandicoots'], { home });
    expect(results[0]?.citation).toBe('notes-2:one.md#L1-L1');
    expect((await loci(['get', 'notes-2:one.md', '--plain'], { home })).stdout).toContain('Bandicoots');
    expect(await loci(['get', 'one.md'], { home })).toMatchObject({ code: 4 });
  });

  it('inside or around a vault, files and missing paths are refused without a change', async () => {
    const config = () => readFileSync(join(home, 'loci.yaml'), 'utf8');
    const before = config();
    expect(await loci(['index', join(first, 'sub')], { home })).toMatchObject({ code: 5 });
    expect((await loci(['index', folders], { home })).stderr).toContain('is around the vault notes');
    const fresh = join(temporaryFolder(), 'fresh');
    mkdirSync(fresh);
    expect(await loci(['index', fresh, join(first, 'one.md')], { home })).toMatchObject({
      code: 8,
      stdout: '',
    });
    const gone = await loci(['index', fresh, join(folders, 'gone')], { home });
    expect(gone.stderr).toContain(`there is no folder ${join(folders, 'gone')}`);
    expect(config()).toBe(before);
  });

  it('keep the record of a moved note, remove that of a deleted one, and keep all if suddenly empty', async () => {
    renameSync(join(first, 'one.md'), join(first, 'sub', 'moved.md'));
    const { vaults } = await lociJson<IndexOutput>(['index', first], { home });
    expect(vaults).toMatchObject([{ renamed: 1, added: 0, removed: 0 }]);
    rmSync(join(first, 'sub', 'moved.md'));
    const empty = await loci(['index', first], { home });
    expect(empty).toMatchObject({ code: 8 });
    expect(empty.stderr).toContain('--allow-empty');
    expect((await lociJson<SearchOutput>(['search', 'aardvarks'], { home })).results).toHaveLength(1);
    expect((await loci(['index', first, '--allow-empty'], { home })).stdout).toContain('1 removed');
    expect((await lociJson<SearchOutput>(['search', 'aardvarks'], { home })).results).toEqual([]);
  });
});
