import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExportOutput } from '../../src/operations/nouns/portable.ts';
import type { ImportOutput } from '../../src/engine/portable/import-report.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import { copyOfVault, loci, lociJson, temporaryFolder, type CommandResult } from './loci-command.ts';

let preparedHome: string;

/** A copy of a home with notes, records, a tombstone, a fact and a startup entry. */
function copyOfPreparedHome(): string {
  const home = temporaryFolder();
  cpSync(preparedHome, home, { recursive: true });
  return home;
}

beforeAll(async () => {
  const home = temporaryFolder();
  preparedHome = home;
  await loci(['index', copyOfVault()], { home });
  await loci(['write', 'The plumber is Tove', '--title', 'Plumber: "---"', '--tag', 'house'], { home });
  const { id } = await lociJson<{ id: number }>(['write', 'A mistake about pangolins'], { home });
  await loci(['delete', String(id)], { home });
  await loci(['fact', 'store', 'phone', '555 1234'], { home });
  await loci(['startup', 'set', 'soul', 'Be brief.', '--priority', '0'], { home });
});

async function runImport(home: string, ...args: readonly string[]): Promise<ImportOutput> {
  return lociJson<ImportOutput>(['import', ...args], { home });
}

function nonZero(counts: ImportOutput['records']): Partial<ImportOutput['records']> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

async function searchResults(home: string): Promise<unknown[]> {
  const searches = ['oven', 'plumber', 'phone', 'pangolins'].map(async (query) => {
    const { results } = await lociJson<SearchOutput>(['search', query, '--min-score', '0'], { home });
    return results.map(({ citation, score, snippet }) => ({ citation, score, snippet }));
  });
  return Promise.all(searches);
}

describe('an export', () => {
  it('is imported completely, and searches find the same', async () => {
    const home = copyOfPreparedHome();
    const to = join(temporaryFolder(), 'out');
    const exported = await lociJson<ExportOutput>(['export', '--to', to], { home });
    expect(exported).toMatchObject({ to, counts: { deleted: 1, startup: 1 } });
    const records = exported.counts?.record ?? 0;
    const other = temporaryFolder();
    const dry = await runImport(other, to, '--dry-run');
    expect(dry.changes).toHaveLength(records + 1);
    expect(nonZero((await runImport(other, to)).records)).toEqual({ added: records });
    expect(nonZero((await runImport(other, to)).records)).toEqual({ unchanged: records });
    expect(await searchResults(other)).toEqual(await searchResults(home));
    expect(await loci(['undelete', String(deletedId(to) ?? 0)], { home: other })).toMatchObject({ code: 0 });
    expect(await loci(['doctor'], { home: other })).toMatchObject({ code: 0 });
  });

  it('replaces an earlier export only with --force, and never anything else', async () => {
    const home = copyOfPreparedHome();
    const folder = temporaryFolder();
    const [file, full] = [join(folder, 'x.jsonl'), join(folder, 'full')];
    mkdirSync(full);
    writeFileSync(join(full, 'mine.txt'), 'mine');
    writeFileSync(file, 'mine');
    const run = (...args: readonly string[]): Promise<CommandResult> =>
      loci(['export', '--to', ...args], { home });
    expect(await run(file)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('already exists') as string,
    });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect(await run(full, '--force')).toMatchObject({ code: 5 });
    expect(await run(join(folder, 'no', 'such.jsonl'))).toMatchObject({ code: 8 });
    expect(await run(file, '--force')).toMatchObject({ code: 0 });
    expect(await run(join(home, 'loci.db'), '--force')).toMatchObject({ code: 5 });
    expect(readdirSync(folder).toSorted()).toEqual(['full', 'x.jsonl']);
    expect(readdirSync(full)).toEqual(['mine.txt']);
  });
});

function deletedId(file: string): number | undefined {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const records = lines.map(
    (line) => JSON.parse(line) as { type: string; id: number; deleted_at: string | null },
  );
  return records.find(({ type, deleted_at }) => type === 'record' && deleted_at !== null)?.id;
}

describe('an import', () => {
  it('keeps and reports newer records, replaces them with --overwrite, and renumbers ids in use', async () => {
    const home = temporaryFolder();
    await loci(['write', 'The oven is gas'], { home });
    const file = join(temporaryFolder(), 'x.jsonl');
    await loci(['export', '--to', file], { home });
    await loci(['update', '1', '--content', 'The oven is electric'], { home });
    const kept = await runImport(home, file);
    expect(nonZero(kept.records)).toEqual({ kept: 1 });
    expect(kept.conflicts).toMatchObject([{ message: 'record/1 was changed later here' }]);
    expect(nonZero((await runImport(home, file, '--overwrite')).records)).toEqual({ updated: 1 });
    expect((await loci(['get', '1', '--plain'], { home })).stdout).toBe('The oven is gas\n');
    const other = temporaryFolder();
    await loci(['write', 'Mine'], { home: other });
    const { renumbered, records } = await runImport(other, file);
    expect(nonZero(records)).toEqual({ added: 1 });
    expect(renumbered).toMatchObject([{ from: 1, to: 2 }]);
    const { entries } = await lociJson<{ entries: { action: string }[] }>(['inbox', 'audit'], { home });
    expect(entries.map(({ action }) => action)).toEqual(['import', 'update', 'write']);
  });

  it('refuses hostile files and leaves the store unchanged', async () => {
    const home = copyOfPreparedHome();
    const folder = temporaryFolder();
    const good = join(folder, 'good.jsonl');
    await loci(['export', '--to', good], { home });
    const text = readFileSync(good, 'utf8');
    const lines = text.trimEnd().split('\n');
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const files: Readonly<Record<string, string | Buffer>> = {
      cut: lines.slice(0, -1).join('\n'),
      changed: text.replace('Tove', 'Tora'),
      short: lines.toSpliced(3, 1).join('\n'),
      version: text.replace('"version":1', '"version":99'),
      empty: '',
      note: '# A note\n',
      binary: Buffer.from([0, 255, 254, 1, 128, 10]),
      deep,
      long: `${lines[0] ?? ''}\n"${'x'.repeat(20_000_000)}`,
    };
    const other = temporaryFolder();
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name);
      writeFileSync(path, content);
      const { code, stderr } = await loci(['import', path], { home: other });
      expect([name, code]).toEqual([name, 2]);
      expect(stderr, name).not.toMatch(/ at .*:\d+:\d+/);
    }
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, join(folder, 'gone'), '/dev/zero'])
      expect((await loci(['import', path], { home: other })).code).toBe(8);
    expect((await loci(['search', 'plumber', '--json'], { home: other })).stdout).not.toContain('Tove');
  });
});

describe('the folder of an OpenClaw agent', () => {
  function workspace(): string {
    const folder = join(temporaryFolder(), 'workspace');
    mkdirSync(join(folder, 'memory'), { recursive: true });
    const files: Readonly<Record<string, string>> = {
      'MEMORY.md':
        '# Memory\n\n## Preferences\n\n- Ada likes green tea in the morning\n- Ada dislikes loud music at work\n\n## Kitchen\n\nThe oven is induction.\n',
      'USER.md': '# USER.md\n\n- **Name:** Ada\n- **Timezone:** Europe/Oslo\n',
      'memory/2026-02-03.md': '# 2026-02-03\n\n## Gas meter\n\nTomas came at nine.\n\n## Lunch\n\nSoup.\n',
      'SOUL.md': 'You are calm.\n',
      'AGENTS.md': '# Rules\n\nAsk first.\n',
      'BOOTSTRAP.md': 'Delete me.\n',
      'notes.txt': 'Not memory.\n',
    };
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
    return folder;
  }

  it('is imported once, and a later import applies the edits', async () => {
    const home = temporaryFolder();
    const folder = workspace();
    const dry = await runImport(home, folder, '--dry-run');
    expect(existsSync(join(home, 'loci.db'))).toBe(false);
    const first = await runImport(home, folder);
    expect(first).toMatchObject({ format: 'openclaw', problems: [], conflicts: [] });
    expect([nonZero(first.records), nonZero(first.startup)]).toEqual([{ added: 6 }, { added: 2 }]);
    expect(dry.changes).toHaveLength(8);
    const repeated = await runImport(home, folder);
    expect([nonZero(repeated.records), nonZero(repeated.startup)]).toEqual([
      { unchanged: 6 },
      { unchanged: 2 },
    ]);
    const { results } = await lociJson<SearchOutput>(['search', 'gas meter', '--category', 'daily'], {
      home,
    });
    expect(results[0]).toMatchObject({ title: '2026-02-03 › Gas meter', source: 'openclaw' });
    expect(new Date(results[0]?.created_at ?? 0).getDate()).toBe(3);

    writeFileSync(
      join(folder, 'MEMORY.md'),
      '# Memory\n\n## Kitchen\n\nThe oven is gas.\n\n## Habits\n\n- Ada dislikes loud music at work\n\n## Preferences\n\n- Ada likes black tea in the morning\n- Ada owns a boat\n',
    );
    rmSync(join(folder, 'memory/2026-02-03.md'));
    writeFileSync(join(folder, 'SOUL.md'), 'You are very calm.\n');
    const soon = new Date(Date.now() + 5000);
    utimesSync(join(folder, 'SOUL.md'), soon, soon);
    rmSync(join(folder, 'AGENTS.md'));
    const edited = await runImport(home, folder);
    expect(nonZero(edited.records)).toEqual({ added: 3, updated: 1, removed: 4, unchanged: 1 });
    expect(nonZero(edited.startup)).toEqual({ updated: 1, removed: 1 });
    expect((await loci(['startup', 'preview', '--json'], { home })).stdout).toContain('very calm');
  });

  it('keeps local changes and deletions, and restores records whose text returns to the files', async () => {
    const home = temporaryFolder();
    const folder = workspace();
    await runImport(home, folder);
    const idOf = async (query: string): Promise<string> =>
      String((await lociJson<SearchOutput>(['search', query], { home })).results[0]?.id);
    const [oven, music] = [await idOf('oven induction'), await idOf('loud music')];
    await loci(['update', oven, '--content', 'The oven is steam.'], { home });
    await loci(['delete', music], { home });
    expect(nonZero((await runImport(home, folder)).records)).toEqual({ unchanged: 6 });
    const memory = readFileSync(join(folder, 'MEMORY.md'), 'utf8');
    writeFileSync(
      join(folder, 'MEMORY.md'),
      memory.replace('induction', 'gas').replace('- Ada likes green tea in the morning\n', ''),
    );
    const kept = await runImport(home, folder);
    expect([nonZero(kept.records), kept.conflicts]).toMatchObject([
      { kept: 1, removed: 1, unchanged: 4 },
      [{ message: `record/${oven} was changed here, and so was the file` }],
    ]);
    writeFileSync(join(folder, 'MEMORY.md'), memory);
    expect(nonZero((await runImport(home, folder)).records)).toEqual({ updated: 1, unchanged: 5 });
    expect((await loci(['get', oven, '--plain'], { home })).stdout).toBe('The oven is steam.\n');
  });

  it('is refused under the name of another agent, and other folders are refused', async () => {
    const home = temporaryFolder();
    await runImport(home, workspace());
    const other = workspace();
    expect(await loci(['import', other], { home })).toMatchObject({ code: 5 });
    expect(nonZero((await runImport(home, other, '--agent', 'mailer')).records)).toEqual({ added: 6 });
    expect(await loci(['import', temporaryFolder()], { home })).toMatchObject({ code: 2 });
  });
});
