import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Backup } from './backup.ts';
import { ConfigFiles } from './config-files.ts';
import { changeKeys, CORPUS_PLUGIN, PLUGIN } from './plugin-keys.ts';
import { undoOpenclaw } from './undo.ts';

/** No gateway listens at this port. */
const ORIGINAL = '{ gateway: { port: 1 } } // mine';

let home: string;
let configFile: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'loci-undo-'));
  configFile = join(home, 'openclaw.json');
  writeFileSync(configFile, ORIGINAL);
  onTestFinished(() => {
    rmSync(home, { recursive: true });
  });
});

/** Changes the configuration as setup does. */
async function setUp(folder: string, plugin = PLUGIN): Promise<void> {
  const files = await ConfigFiles.load(configFile);
  changeKeys(files, null, folder);
  const backup = new Backup(home);
  await backup.exclusively(() => backup.apply(files, plugin));
}

/** What `loci openclaw undo --json` prints, where there is no OpenClaw. */
async function undo(): Promise<unknown> {
  let printed = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      printed += chunk.toString();
      done();
    },
  });
  const io = {
    stdin: Readable.from([]),
    stdout,
    stderr: new Writable({ write: (_c, _e, done) => done() }),
    env: {},
  };
  const call = { operands: [], lists: {}, options: { openclaw: '/missing/openclaw' }, json: true, home };
  await undoOpenclaw(call, io, { answerCommands: () => Promise.reject(new Error()) });
  return JSON.parse(printed);
}

it.each(['before it has written the file', 'afterwards'])(
  'undo restores the file after a second setup that was killed %s',
  async (when) => {
    await setUp('/builds/first');
    const first = readFileSync(configFile);
    await setUp('/builds/second');
    if (when !== 'afterwards') writeFileSync(configFile, first);
    expect(await undo()).toMatchObject({ files: [{ path: configFile, identical: true, kept: [] }] });
    expect(readFileSync(configFile, 'utf8')).toBe(ORIGINAL);
    await expect(undo()).rejects.toMatchObject({ code: 'not_found' });
  },
);

it('undo leaves a file that somebody has changed since, also before a second setup, and names the keys', async () => {
  await setUp('/builds/first');
  writeFileSync(configFile, `${readFileSync(configFile, 'utf8')}\n// changed`);
  await setUp('/builds/second');
  const changed = readFileSync(configFile, 'utf8');
  const undone = await undo();
  expect(undone).toMatchObject({ plugin: 'kept', files: [{ identical: false }] });
  expect(JSON.stringify(undone)).toContain('plugins.slots.memory');
  expect(readFileSync(configFile, 'utf8')).toBe(changed);
});

it('undo removes the copy of the plugin, and claims that of no plugin that was not copied', async () => {
  const builds = join(home, 'openclaw-plugin');
  mkdirSync(join(builds, 'first'), { recursive: true });
  await setUp(join(builds, 'first'));
  expect(await undo()).toMatchObject({ plugin: 'removed' });
  expect(existsSync(builds)).toBe(false);
  await setUp('/package/dist/loci-corpus', CORPUS_PLUGIN);
  expect(await undo()).toMatchObject({ plugin: 'no longer loaded' });
});
