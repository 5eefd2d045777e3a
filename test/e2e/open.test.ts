import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type CommandResult,
  copyOfVault,
  loci,
  lociJson,
  preparedHomes,
  ROOT,
  temporaryFolder,
} from './loci-command.ts';

let home: string;
let vault: string;
let bin: string;
let received: string;

/** Makes a program that writes its arguments to `received`, one in each line. */
function makeProgram(name: string, exitCode = 0): string {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\nprintf '%s\\n' "$@" > '${received}'\nexit ${String(exitCode)}\n`);
  chmodSync(path, 0o755);
  return path;
}

const argumentsReceived = (): string[] => readFileSync(received, 'utf8').trimEnd().split('\n');

const indexedHome = preparedHomes(async (prepared) => {
  vault = copyOfVault();
  await loci(['index', vault], { home: prepared });
});

beforeEach(() => {
  home = indexedHome();
  const folder = temporaryFolder();
  [bin, received] = [join(folder, 'bin'), join(folder, 'received')];
  mkdirSync(bin);
});

const open = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> =>
  loci(['open', ...args], { home, env });
const kitchen = (): string => join(vault, 'Home', 'Kitchen remodel.md');

describe('loci open', () => {
  it('starts the editor at the line of the citation', async () => {
    const env = { EDITOR: `"${makeProgram('gedit')}" -s` };
    expect(await open(['Home/Kitchen remodel.md#L24-L40'], env)).toMatchObject({ code: 0, stderr: '' });
    expect(argumentsReceived()).toEqual(['-s', '+24', kitchen()]);
    await open(['kitchen', 'remodel'], env);
    expect(argumentsReceived()).toEqual(['-s', kitchen()]);
  });

  it.runIf(process.platform === 'linux')('opens a vault of Obsidian in Obsidian', async () => {
    makeProgram('xdg-open');
    const env = { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
    const url = `obsidian://open?path=${encodeURIComponent(kitchen())}`;
    expect((await open(['kitchen remodel'], env)).stderr).toContain('no editor is set');
    mkdirSync(join(vault, '.obsidian'));
    onTestFinished(() => rmSync(join(vault, '.obsidian'), { recursive: true }));
    const ofNpm = { ...env, EDITOR: 'vi', npm_config_user_agent: 'npm/11.0.0' };
    expect(await open(['kitchen remodel', '--print'], ofNpm)).toMatchObject({ stdout: `${url}\n` });
    expect(await open(['kitchen remodel'], env)).toMatchObject({ code: 0, stderr: '' });
    expect(argumentsReceived()).toEqual([url]);
    rmSync(received);
    await open(['--obsidian', 'kitchen remodel'], { ...env, EDITOR: join(bin, 'nothing') });
    expect(argumentsReceived()).toEqual([url]);
  });

  it('prints the path or the URL, and opens nothing', async () => {
    const url = `obsidian://open?path=${encodeURIComponent(kitchen())}`;
    const env = { EDITOR: makeProgram('vim') };
    expect((await open(['--print', 'kitchen remodel'], env)).stdout).toBe(`${kitchen()}\n`);
    expect((await open(['--print', '--obsidian', 'kitchen remodel'], env)).stdout).toBe(`${url}\n`);
    expect((await open(['--print', 'kitchen remodel'])).stdout).toBe(`${kitchen()}\n`);
    expect(() => argumentsReceived()).toThrow('ENOENT');
    const json = await lociJson(['open', '--print', 'Home/Kitchen remodel.md#L24'], { home, env });
    expect(json).toEqual({ vault: 'vault', path: kitchen(), line: 24, url: null, command: null });
  });

  it('refuses a record without a file, a deleted note and a note outside the vault', async () => {
    await loci(['write', 'The plumber is Tove.'], { home });
    const { id } = (
      await lociJson<{ results: { id: number }[] }>(['search', 'plumber Tove', '--origin', 'memory'], {
        home,
      })
    ).results[0]!;
    expect(await open([`record/${String(id)}`])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no file') as string,
    });
    const outside = join(temporaryFolder(), 'Kitchen remodel.md');
    renameSync(kitchen(), outside);
    expect(await open(['--print', 'kitchen remodel'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('no longer exists') as string,
    });
    symlinkSync(outside, kitchen());
    onTestFinished(() => {
      rmSync(kitchen());
      copyFileSync(join(ROOT, 'examples/vault/Home/Kitchen remodel.md'), kitchen());
    });
    expect(await open(['--print', 'kitchen remodel'])).toMatchObject({
      code: 10,
      stdout: '',
      stderr: expect.stringContaining('leads out of the vault') as string,
    });
  });
});
