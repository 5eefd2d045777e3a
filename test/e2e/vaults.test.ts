import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ERROR_TABLE } from '../../src/core/errors.ts';
import type { DoctorOutput } from '../../src/engine/health/check.ts';
import type { SourcesRemoveOutput } from '../../src/operations/nouns/sources.ts';
import type { IndexOutput } from '../../src/operations/nouns/index-notes.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type { StatusOutput } from '../../src/engine/health/status.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

let home: string;
let notes: string;
let work: string;

beforeEach(async () => {
  home = join(temporaryFolder(), 'home');
  const folders = temporaryFolder();
  [notes, work] = [join(folders, 'My notes'), join(folders, 'work')];
  for (const folder of [notes, work]) mkdirSync(folder);
  writeFileSync(join(notes, 'one.md'), 'Aardvarks sleep by day.');
  writeFileSync(join(notes, 'two.md'), 'Aardvarks dig by night.');
  writeFileSync(join(work, 'one.md'), 'Aardvarks are not at work.');
  await loci(['index', notes, work], { home });
  await loci(['write', 'An aardvark of its own'], { home });
});

const vaultsOf = async () => (await lociJson<StatusOutput>(['status'], { home })).vaults;
const checksOf = async (name: string) => {
  const { stdout } = await loci(['doctor', '--json'], { home });
  return (JSON.parse(stdout) as DoctorOutput).checks.filter((check) => check.name === name);
};
const sourcesFound = async () => {
  const { results } = await lociJson<SearchOutput>(['search', 'aardvarks', '--min-score', '0'], { home });
  return results.map(({ source }) => source).toSorted();
};

describe('a disabled vault', () => {
  it('is neither read nor found nor checked until it is enabled again', async () => {
    const settings = join(home, 'loci.yaml');
    const before = readFileSync(settings, 'utf8');
    const off = before.replace('- name: work', '- name: work\n    enabled: false');
    expect(off).not.toBe(before);
    writeFileSync(settings, off);
    writeFileSync(join(work, 'one.md'), 'Aardvarks have changed at work.');
    const { vaults } = await lociJson<IndexOutput>(['index'], { home });
    expect(vaults.map(({ name }) => name)).toEqual(['My notes']);
    expect(await sourcesFound()).not.toContain('work');
    expect(await vaultsOf()).toMatchObject([
      { enabled: true },
      { name: 'work', enabled: false, changes: null },
    ]);
    expect((await loci(['status'], { home })).stdout).toMatch(/work: 1 note, .*, disabled\n/);
    expect(await checksOf('vault work')).toMatchObject([{ result: 'ok' }]);
    const refused = await loci(['index', work], { home });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('disabled in the settings: work'),
    ]);
    writeFileSync(settings, before);
    expect(await sourcesFound()).toContain('work');
    const read = await lociJson<IndexOutput>(['index'], { home });
    expect(read.vaults).toMatchObject([{}, { name: 'work', updated: 1 }]);
  });
});

describe('status and doctor', () => {
  it('show when each vault was read and what changed since, without changing anything', async () => {
    const [read] = await vaultsOf();
    expect(read).toMatchObject({ records: 2, changes: { added: 0, changed: 0, gone: 0 }, unreadable: null });
    expect(Math.abs(Date.now() - Date.parse(read!.last_read!))).toBeLessThan(60_000);
    expect(await checksOf('vault My notes')).toMatchObject([{ result: 'ok' }]);

    appendFileSync(join(notes, 'one.md'), ' And eat ants.');
    utimesSync(join(notes, 'one.md'), 1, 1);
    writeFileSync(join(notes, 'three.md'), 'New.');
    writeFileSync(join(notes, 'picture.md'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0xff]));
    rmSync(join(notes, 'two.md'));
    for (let round = 0; round < 2; round++)
      expect((await vaultsOf())[0]?.changes).toEqual({ added: 1, changed: 1, gone: 1 });
    expect((await loci(['status'], { home })).stdout).toContain(
      'since then 1 note new, 1 changed, 1 gone: run `loci index`',
    );
    expect(await checksOf('vault My notes')).toMatchObject([
      {
        result: 'warning',
        hint: 'Run `loci index`.',
        detail: expect.stringContaining('1 note new') as string,
      },
    ]);
    await loci(['index'], { home });
    expect((await vaultsOf())[0]?.changes).toEqual({ added: 0, changed: 0, gone: 0 });
  });

  it('report problems of notes as long as they exist, even if index has reported them', async () => {
    writeFileSync(join(notes, 'picture.md'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0xff]));
    truncateSync(join(notes, 'two.md'), 6_000_000);
    for (let i = 0; i < 12; i++)
      writeFileSync(join(notes, `yaml ${String(i)}.md`), '---\ntags: [a\n---\nAnts.');
    await loci(['index'], { home });
    await loci(['index'], { home });
    const [state, other] = await vaultsOf();
    expect(state).toMatchObject({ skipped: 2, changes: { added: 0, changed: 0, gone: 0 } });
    expect(other).toMatchObject({ skipped: 0 });
    const [check] = await checksOf('notes of My notes');
    const [summary, ...lines] = check!.detail.split('\n');
    expect(summary).toBe('2 left out, 12 read despite a fault');
    expect(lines.slice(0, 3)).toEqual([
      'skipped picture.md: it is not a text file',
      'skipped two.md: it is 6.0 MB; the limit is 5.0 MB',
      expect.stringMatching(/^yaml 0\.md: read with .* of the file: Flow sequence/),
    ]);
    expect(lines).toHaveLength(14);
    expect(await checksOf('notes of work')).toEqual([]);
    for (let i = 0; i < 12; i++) writeFileSync(join(notes, `yaml ${String(i)}.md`), 'Ants.');
    for (const name of ['two.md', 'picture.md']) writeFileSync(join(notes, name), 'Ants.');
    expect(await checksOf('notes of My notes')).toEqual([]);
  });

  it('report a vault that was not read yet, or whose folder is missing', async () => {
    const fresh = join(temporaryFolder(), 'fresh');
    mkdirSync(fresh);
    await loci(['config', 'init', '--vault', fresh], { home });
    expect((await vaultsOf())[2]).toMatchObject({ name: 'fresh', last_read: null, changes: null });
    expect(await checksOf('vault fresh')).toMatchObject([{ result: 'warning' }]);
    renameSync(work, `${work} elsewhere`);
    expect((await vaultsOf())[1]).toMatchObject({
      changes: null,
      unreadable: expect.stringContaining('it does not exist') as string,
    });
    expect(await checksOf('vault work')).toMatchObject([
      { result: 'failed', hint: expect.stringContaining('`loci sources remove "work"`') as string },
    ]);
  });

  it('report records of a vault that is no longer in the settings, with a hint', async () => {
    const file = join(home, 'loci.yaml');
    writeFileSync(file, `vaults:\n  - path: ${JSON.stringify(work)}\n`);
    const { unconfigured_vaults } = await lociJson<StatusOutput>(['status'], { home });
    expect(unconfigured_vaults).toEqual([{ name: 'My notes', records: 2, settings: null }]);
    expect((await loci(['status'], { home })).stdout).toContain('My notes: 2 notes, not in the settings');
    const [check] = await checksOf('vault My notes');
    expect(check).toMatchObject({ result: 'warning' });
    expect(check?.hint).toContain('loci sources remove "My notes"');
    expect(await sourcesFound()).toEqual(['My notes', 'My notes', 'cli', 'work']);
    expect((await loci(['sources', 'remove', 'My notes'], { home })).stdout).toContain(
      'Removed 2 records of My notes from the store.',
    );
    expect(await sourcesFound()).toEqual(['cli', 'work']);
    expect(await checksOf('vault My notes')).toEqual([]);
  });
});

describe('index with a missing vault', () => {
  it('reports the other vaults, then the error, also in JSON', async () => {
    rmSync(notes, { recursive: true });
    writeFileSync(join(work, 'two.md'), 'Aardvarks never work.');
    const { code, stdout, stderr } = await loci(['index'], { home });
    expect(code).toBe(8);
    expect(stdout).toContain(`work (${work}): 2 notes, 1 added, 1 unchanged\nDone in `);
    expect(stderr).toContain(`loci: the vault ${notes} cannot be read: it does not exist\n`);
    expect(stderr).toContain('`loci sources remove "My notes"`');
    const json = await loci(['index', '--json'], { home });
    expect(json).toMatchObject({ code: 8, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({
      vaults: [{ name: 'work', path: work, unchanged: 2 }],
      error: { code: 'unreadable', hint: expect.stringContaining('My notes') as string },
    });
  });
});

describe('sources remove', () => {
  it('removes a vault from the settings and the store, keeps its notes, and index adds it again', async () => {
    const file = join(home, 'loci.yaml');
    writeFileSync(file, `# mine\n${readFileSync(file, 'utf8')}`);
    const forgotten = await lociJson<SourcesRemoveOutput>(['sources', 'remove', 'My', 'notes'], { home });
    expect(forgotten).toEqual({ id: 'My notes', path: notes, removed: 2, unconfigured: true });
    expect(await sourcesFound()).toEqual(['cli', 'work']);
    expect((await vaultsOf()).map(({ name }) => name)).toEqual(['work']);
    expect(readFileSync(file, 'utf8')).toMatch(/^# mine\n/);
    expect(readFileSync(join(notes, 'one.md'), 'utf8')).toBe('Aardvarks sleep by day.');
    expect((await loci(['get', 'two.md'], { home })).code).toBe(4);
    expect((await loci(['doctor'], { home })).stdout).toMatch(/No problems found\.\n$/);
    await loci(['index', notes], { home });
    expect(await sourcesFound()).toEqual(['My notes', 'My notes', 'cli', 'work']);
    await loci(['sources', 'remove', 'work'], { home });
    await loci(['sources', 'remove', 'My notes'], { home });
    expect(await lociJson<StatusOutput>(['status'], { home })).toMatchObject({
      records: 1,
      vaults: [],
      unconfigured_vaults: [],
    });
  });

  it('keeps everything if the folder is missing, unless an option allows the removal', async () => {
    rmSync(work, { recursive: true });
    const refused = await loci(['sources', 'remove', 'work'], { home });
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('--even-if-gone');
    expect(await sourcesFound()).toContain('work');
    expect((await vaultsOf()).map(({ name }) => name)).toContain('work');
    expect((await loci(['sources', 'remove', 'work', '--even-if-gone'], { home })).code).toBe(0);
    expect(await sourcesFound()).not.toContain('work');
  });

  it('refuses names that are not vaults, such as surfaces, and vaults of the environment', async () => {
    for (const name of ['cli', 'my notes', 'nothing at all']) {
      const { code, stderr } = await loci(['sources', 'remove', name], { home });
      expect(code).toBe(4);
      expect(stderr).toContain(`no source is called "${name}"; there are`);
    }
    const env = { LOCI_VAULTS: JSON.stringify([{ path: work }]) };
    const refused = await loci(['sources', 'remove', 'work'], { home, env });
    expect(refused).toMatchObject({ code: 5 });
    expect(refused.stderr).toContain('LOCI_VAULTS');
    expect(await sourcesFound()).toEqual(['My notes', 'My notes', 'cli', 'work']);
  });
});

describe('forgetting a vault', () => {
  it('asks in a terminal, unless --yes is given', async () => {
    const refused = await loci(['sources', 'remove', 'work'], { home, answer: 'no\n' });
    expect(refused.code).toBe(ERROR_TABLE.aborted.exit);
    expect(refused.stderr).toContain(
      'Remove the records of work from the memory? The notes or documents themselves stay. [y/N]',
    );
    expect(await sourcesFound()).toContain('work');
    expect((await loci(['sources', 'remove', 'work'], { home, answer: 'y\n' })).code).toBe(0);
    expect(await sourcesFound()).not.toContain('work');
    const { code, stderr } = await loci(['sources', 'remove', 'My notes', '--yes'], { home, answer: '' });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('[y/N]')]);
  });
});
