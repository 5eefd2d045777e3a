import { Readable, Writable } from 'node:stream';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { setUpOpenclaw } from './setup.ts';
import { valueAt } from '../../../core/json-path.ts';
import { dayText } from '../../../core/time/whole-day.ts';
import type { JsonMap } from '../../../core/json.ts';
import { ConfigFiles } from './config-files.ts';
import { SLOT } from './plugin-keys.ts';
import { agreeOnTranscripts, conversationsText, type HostSession, ownerProblem } from './session.ts';
import { isRecent } from './program.ts';

it('without a terminal and --yes, setup refuses before it looks at anything', async () => {
  const written: string[] = [];
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done();
    },
  });
  const io = { stdin: Readable.from([]), stdout: stderr, stderr, env: {} };
  // Looking at this program would fail.
  const call = {
    operands: [],
    lists: {},
    options: { openclaw: '/missing/openclaw' },
    json: false,
    home: undefined,
  };
  const services = {
    answerCommands: () => Promise.reject(new Error()),
  };
  await expect(setUpOpenclaw(call, io, services)).rejects.toMatchObject({
    code: 'invalid_input',
    message: 'there is no terminal to ask in',
  });
  expect(written).toEqual([]);
});

const FIRST = dayText(Date.now() - 90 * 86_400_000);
const OFF = { memory: { search: { rememberAcrossConversations: false } } };
const ON = { 'memory-loci': { config: { sessions: { enabled: true, days: 30 } } } };
const SET = { 'memory-loci': { config: { sessions: { since: '2026-01-02' } } } };

it.each<[what: string, config: JsonMap, options: object, answer: string, since: string | undefined]>([
  ['the user agrees', {}, {}, 'y', FIRST],
  ['the user does not agree', {}, {}, 'n', undefined],
  ['nobody is asked', {}, { yes: true }, '', undefined],
  ['--transcripts says so', {}, { yes: true, transcripts: true }, '', FIRST],
  ['a dry run shows what --transcripts does', {}, { 'dry-run': true, transcripts: true }, '', FIRST],
  ['OpenClaw does not remember them', OFF, { transcripts: true }, '', undefined],
  [
    'they are on in the settings',
    { ...OFF, plugins: { entries: ON } },
    {},
    'y',
    dayText(Date.now() - 30 * 86_400_000),
  ],
  ['a day is set', { plugins: { entries: SET } }, { transcripts: true }, '', '2026-01-02'],
  ['Loci has the slot already', { plugins: { slots: { memory: 'memory-loci' } } }, {}, 'y', undefined],
])('older conversations are read or not: %s', async (_, config, options, answer, since) => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-transcripts-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, 'openclaw.json');
  writeFileSync(file, JSON.stringify(config));
  const files = await ConfigFiles.load(file);
  if (valueAt(config, SLOT) === undefined) files.set(SLOT, 'memory-loci');
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
  const io = { stdin: Readable.from(answer === '' ? [] : [`${answer}\n`]), stdout: stderr, stderr, env: {} };
  const session = { call: { options }, io, signal: new AbortController().signal } as unknown as HostSession;
  await agreeOnTranscripts(session, files);
  expect(valueAt(files.values(), ['plugins', 'entries', 'memory-loci', 'config', 'sessions', 'since'])).toBe(
    since,
  );
});

it.each<[text: string, config: JsonMap]>([
  ['conversations are not remembered', OFF],
  ['conversations with main are remembered from when the gateway reads them for the first time', {}],
  ['conversations with main are remembered since 2026-01-02, for 90 days', { plugins: { entries: SET } }],
  ['conversations with a and b are remembered', { agents: { entries: { a: {}, b: {} } } }],
])('says that %s', (text, config) => {
  expect(conversationsText(config)).toContain(text);
});

const CHANNELS = { channels: { telegram: { enabled: true } } };
const plugin = (nonOwner: JsonMap): JsonMap => ({
  plugins: { entries: { 'memory-loci': { config: { nonOwner } } } },
});

it.each<[what: string, config: JsonMap, isProblem: boolean]>([
  ['there is a channel, and no owner', CHANNELS, true],
  ['everybody may use commands', { ...CHANNELS, commands: { ownerAllowFrom: ['*', 'telegram:*'] } }, true],
  ['an owner is named', { ...CHANNELS, commands: { ownerAllowFrom: ['telegram:7'] } }, false],
  ['there is no channel', { channels: { defaults: {} } }, false],
  ['others may read', { ...CHANNELS, ...plugin({ read: 'agent' }) }, false],
  ['senders have their own memory', { ...CHANNELS, ...plugin({ perSender: true }) }, false],
  ['something is shared', { ...CHANNELS, ...plugin({ shared: ['family'] }) }, false],
])('nobody has memory on channels, or somebody has: %s', (_, config, isProblem) => {
  expect(ownerProblem(config) !== null).toBe(isProblem);
});

it.each([
  ['2026.10.1', true],
  ['2026.9.6-beta.1', true],
  ['2026.9.5', false],
  ['', false],
])('whether OpenClaw %j is recent enough: %s', (version, expected) => {
  expect(isRecent(version)).toBe(expected);
});
