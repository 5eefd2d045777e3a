import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { valueAt } from '../../../core/json-path.ts';
import { dayText } from '../../../core/time/whole-day.ts';
import type { JsonMap } from '../../../core/json.ts';
import { ConfigFiles } from './config/config-files.ts';
import { SLOT } from './config/plugin-keys.ts';
import { agreeOnTranscripts, conversationsText } from './transcripts.ts';
import type { HostSession } from './session.ts';

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
