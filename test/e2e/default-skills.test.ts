import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SourcesListOutput } from '../../src/engine/reading/source-schemas.ts';
import { type CommandResult, type RunOptions, startLoci, temporaryFolder } from './loci-command.ts';

/** A user without `loci.yaml`, whose home folder has skills. */
let user: string;
let options: RunOptions;

beforeEach(() => {
  user = temporaryFolder();
  options = { home: join(user, '.loci'), env: { HOME: user } };
});

function writeSkill(folder: string, frontMatter: string): void {
  mkdirSync(join(user, folder), { recursive: true });
  writeFileSync(join(user, folder, 'SKILL.md'), `---\n${frontMatter}---\nUse it.\n`);
  writeFileSync(join(user, folder, 'list.json'), '[{"id":"1","text":"Read about oak floors"}]');
}

/** Runs the command in a process of its own, because the home folder of this process is that of another user. */
function run(...args: readonly string[]): Promise<CommandResult> {
  return startLoci(args, options).ended;
}

async function json(...args: readonly string[]): Promise<unknown> {
  return JSON.parse((await run(...args, '--json')).stdout) as unknown;
}

async function sources(): Promise<[id: string, condition: string][]> {
  const output = (await json('sources', 'list')) as SourcesListOutput;
  return output.sources.map(({ id, condition }) => [id, condition]);
}

describe('a skill of OpenClaw or Claude Code', () => {
  it('is a source without settings, once it is approved', async () => {
    const settings = 'memorySource:\n  command: cat list.json\n';
    writeSkill('.openclaw/skills/reading', `name: reading\n${settings}`);
    writeSkill('.claude/skills/listening', `name: listening\n${settings}`);
    writeSkill('.claude/skills/other', 'name: other\n');
    const waiting = ['reading', 'listening'].map((id) => [id, 'waiting for approval']);
    expect((await sources()).toSorted()).toEqual(waiting.toSorted());
    await run('sources', 'approve', 'reading', 'listening');
    expect(await json('sources', 'refresh')).toMatchObject({ sources: [{ added: 1 }, { added: 1 }] });
    const { stdout } = await run('search', 'oak', 'floors');
    expect(stdout).toContain('From reading');
  });

  it('is no source if its file cannot be read, or if `skills` names other folders', async () => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'SKILL.md'), '---\nname: linked\n---\n');
    mkdirSync(join(user, '.claude/skills'), { recursive: true });
    symlinkSync(outside, join(user, '.claude/skills/linked'));
    const list = await run('sources', 'list');
    expect([list.code, list.stderr]).toEqual([6, expect.stringContaining('there is no store')]);

    writeSkill('.claude/skills/reading', 'name: reading\nmemorySource:\n  command: cat list.json\n');
    expect(await sources()).toEqual([['reading', 'waiting for approval']]);
    writeFileSync(join(user, '.loci', 'loci.yaml'), 'skills: []\n');
    expect(await sources()).toEqual([]);
  });
});
