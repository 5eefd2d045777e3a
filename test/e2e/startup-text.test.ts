import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StartupListOutput, StartupTextOutput } from '../../src/engine/startup/startup-fields.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

interface HomeOptions {
  readonly home: string;
}

async function homeWith(entries: readonly (readonly string[])[], settings = ''): Promise<HomeOptions> {
  const home = temporaryFolder();
  writeFileSync(join(home, 'loci.yaml'), settings);
  for (const entry of entries) {
    const { code, stderr } = await loci(['startup', 'set', ...entry], { home });
    if (code !== 0) throw new Error(stderr);
  }
  return { home };
}

function preview(options: HomeOptions, ...args: string[]): Promise<StartupTextOutput> {
  return lociJson(['startup', 'preview', ...args], options);
}

async function injected(options: HomeOptions, ...args: string[]): Promise<string> {
  const { code, stdout } = await loci(['startup', 'inject', ...args], options);
  expect(code).toBe(0);
  return stdout;
}

const SOUL = ['soul', 'You are Ada.', '--priority', '0', '--reinforce'];
const RULES = ['rules', 'Be brief.', '--priority', '1'];
const NEWS = ['news', `News: ${'n'.repeat(60)}`, '--priority', '1'];
const TEAM = ['team', 'Ann.', '--priority', '3'];

describe('the startup text', () => {
  it('starts with the highest priority, and gives nothing in place of an entry that does not fit', async () => {
    const options = await homeWith([TEAM, NEWS, RULES, SOUL], 'startup:\n  maxChars: 50\n');
    const { text, characters, budget, included, left_out } = await preview(options);
    expect(text).toBe('You are Ada.\n\nBe brief.');
    expect([characters, budget]).toEqual([text.length, 50]);
    expect(included.map(({ key, priority }) => [priority, key])).toEqual([
      [0, 'soul'],
      [1, 'rules'],
    ]);
    const none = 'an entry of priority 1 did not fit, so that no entry of a lower priority is given';
    expect(left_out).toEqual([
      {
        key: 'news',
        agent: null,
        priority: 1,
        why: 'it has 66 characters, and 36 of 50 are left',
        too_long: true,
      },
      { key: 'team', agent: null, priority: 3, why: none, too_long: true },
    ]);
    const host = await loci(['startup', 'inject'], options);
    expect([host.code, host.stdout]).toEqual([0, `${text}\n`]);
    expect(host.stderr).toContain('news is left out: it has 66 characters');
    const long = await loci(['startup', 'set', 'long', 'x'.repeat(51)], options);
    expect(long.stderr).toContain('long: it has 51 characters and startup.maxChars is 50');
  });

  it('has the budget of the longest key that the name of the model contains, in any case', async () => {
    const budgets =
      'startup:\n  maxChars: 500\n  maxCharsByModel:\n    opus: 10\n    opus-5: 20\n    haiku: 30\n';
    const options = await homeWith([SOUL, RULES], budgets);
    const budget = async (model: string) => (await preview(options, '--model', model)).budget;
    expect(await budget('acme/Opus-5-large')).toBe(20);
    expect(await budget('OPUS 4')).toBe(10);
    expect(await budget('other')).toBe(500);
    expect((await preview(options)).budget).toBe(500);
    expect((await preview(options, '--model', 'opus-5')).text).toBe('You are Ada.');
    const narrow = await preview(options, '--model', 'opus');
    expect([narrow.text, narrow.left_out.length]).toEqual(['You are…', 1]);
  });

  it('is sent at every turn, at the first, or after a change, according to the mode', async () => {
    const options = await homeWith([SOUL, RULES]);
    const fullText = 'You are Ada.\n\nBe brief.\n';
    const turn = (mode: string, session: string) => injected(options, '--mode', mode, '--session', session);
    expect([await turn('always', 'a'), await turn('always', 'a')]).toEqual([fullText, fullText]);
    expect([await turn('first-run', 'f'), await turn('first-run', 'f')]).toEqual([fullText, '']);
    expect([await turn('digest', 'd'), await turn('digest', 'd')]).toEqual([fullText, 'You are Ada.\n']);
    expect(await turn('digest', 'another')).toBe(fullText);

    await loci(['startup', 'set', 'rules', 'Be kind.'], options);
    expect(await turn('digest', 'd')).toBe('You are Ada.\n\nBe kind.\n');
    expect(await turn('digest', 'd')).toBe('You are Ada.\n');
    expect(await turn('first-run', 'f')).toBe('');
    await loci(['startup', 'set', 'soul', '--no-reinforce'], options);
    expect(await turn('digest', 'd')).toBe('');
  });

  it('contains the entries for the agent, instead of those for all agents with the same key', async () => {
    const options = await homeWith([
      SOUL,
      RULES,
      ['rules', 'Be formal.', '--priority', '1', '--agent', 'mailer'],
    ]);
    expect((await preview(options)).text).toBe('You are Ada.\n\nBe brief.');
    expect((await preview(options, '--agent', 'other')).text).toBe('You are Ada.\n\nBe brief.');
    const mailer = await preview(options, '--agent', 'mailer');
    expect(mailer.text).toBe('You are Ada.\n\nBe formal.');
    expect(mailer.left_out).toMatchObject([
      { key: 'rules', why: expect.stringContaining('mailer') as string },
    ]);
    await injected(options, '--agent', 'mailer', '--session', 's');
    expect(await injected(options, '--agent', 'other', '--session', 's')).toBe('You are Ada.\n\nBe brief.\n');
  });

  it('prints nothing if it is disabled', async () => {
    const options = await homeWith([SOUL], 'startup:\n  enabled: false\n');
    expect(await injected(options)).toBe('');
    expect((await loci(['startup', 'preview'], options)).stdout).toContain('startup.enabled is false');
  });
});

describe('startup entries', () => {
  let homeWithSoul: HomeOptions;

  beforeAll(async () => {
    homeWithSoul = await homeWith([SOUL]);
  });

  it('can be changed by field, removed and restored', async () => {
    const options = await homeWith([SOUL, [...TEAM, '--agent', 'my mailer']]);
    await loci(['startup', 'set', 'soul', '--priority', '2'], options);
    const list = () => lociJson<StartupListOutput>(['startup', 'list'], options);
    const { entries } = await list();
    expect(entries).toMatchObject([
      { key: 'soul', agent: null, priority: 2, reinforce: true, content: 'You are Ada.', characters: 12 },
      { key: 'team', agent: 'my mailer', priority: 3, reinforce: false },
    ]);
    const removed = await loci(['startup', 'remove', 'team', '--agent', 'my mailer'], options);
    expect(removed.stdout).toBe(
      'Removed team for my mailer. `loci startup set team --agent "my mailer"` restores it.\n',
    );
    expect((await list()).entries).toHaveLength(1);
    await loci(['startup', 'set', 'team', '--agent', 'my mailer'], options);
    expect((await list()).entries[1]).toEqual({
      ...entries[1],
      updated_at: expect.any(String) as string,
    });
    const audit = await loci(['inbox', 'audit', '--action', 'startup-remove'], options);
    expect(audit.stdout).toMatch(/ via cli {2}startup-remove {2}startup:my mailer:team\n$/);
  });

  it.each([
    [['set', 'new'], 2, 'the new entry "new" has no content'],
    [['set', 'new', 'x', '--priority', '10'], 2, '--priority must be at most 9, not 10'],
    [['remove', 'new'], 4, 'there is no startup entry "new"'],
    [['remove', 'soul', '--agent', 'x'], 4, 'there is no startup entry "soul" for x'],
    [['preview', '--mode', 'never'], 2, '--mode must be one of always, first-run, digest, not "never"'],
  ])('%j ends with %i: %s', async (args, exit, message) => {
    const { code, stderr } = await loci(['startup', ...args], homeWithSoul);
    expect([code, stderr.split('\n')[0]]).toEqual([exit, `loci: ${message}`]);
  });
});

describe('the name of a startup entry', () => {
  const SECRET = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

  it('that looks like a secret is refused, and a key can mark its text as a secret', async () => {
    const options = await homeWith([['password', 'hunter2-and-more']]);
    for (const entry of [
      [SECRET, 'a', '--agent', 'ada'],
      ['tone', 'b', '--agent', SECRET],
    ]) {
      const { code, stderr } = await loci(['startup', 'set', ...entry], options);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('has what looks like a secret: GitHub token'),
      ]);
    }
    const { stdout } = await loci(['export', '--to', '-'], options);
    expect(stdout.match(/"type":"startup"/g)).toHaveLength(1);
    expect(stdout).not.toMatch(/ghp_a1B2|hunter2/);
  });
});
