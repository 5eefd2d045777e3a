import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chatGpt } from '../contract/conversation-exports.ts';
import { zipOf } from '../contract/zip-archive.ts';
import { recordOperations } from '../../src/operations/nouns/records.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { loadCommand } from '../../src/surfaces/cli/commands/registry.ts';
import { makeStyle } from '../../src/surfaces/cli/format/style.ts';
import { commandWords } from '../../src/surfaces/shared/command-names.ts';
import { shadowdb } from '../contract/shadowdb-tables.ts';
import { copyOfVault, loci, temporaryFolder } from './loci-command.ts';

const ON_WRITTEN_RECORDS: ReadonlySet<string> = new Set([
  ...['update', 'delete', 'undelete', 'audit', 'delete-namespace'],
]);

const NAMES_MISSING: ReadonlySet<string> = new Set(['inbox-keep', 'inbox-undo']);

/** The bundled model; the other examples run without one. */
const MODEL = { LOCI_EMBEDDING_PROVIDER: 'local' };

describe('examples', () => {
  const home = join(temporaryFolder(), 'home');

  it('in the help of every command run unchanged, with the documented output', async () => {
    const user = temporaryFolder();
    const env = { LOCI_EMBEDDING_PROVIDER: '' };
    mkdirSync(home);
    writeFileSync(
      join(home, 'loci.yaml'),
      'embedding:\n  provider: none\nsources:\n  - id: tasks\n    command: cat tasks.json\n' +
        '  - id: calendar\n    command: cat tasks.json --\n',
    );
    writeFileSync(join(home, 'tasks.json'), '[{"id":"1","text":"Buy tile samples"}]');
    for (const part of ['Home', 'Attachments'])
      cpSync(join(copyOfVault(), part), join(user, 'vault', part), { recursive: true });
    mkdirSync(join(user, 'notes'));
    mkdirSync(join(user, '.openclaw', 'workspace'), { recursive: true });
    writeFileSync(join(user, '.openclaw', 'workspace', 'MEMORY.md'), '# Memory\n\n- The plumber is Tove.\n');
    writeFileSync(join(user, 'prompt.txt'), 'A prompt without memory.');
    mkdirSync(join(user, 'Downloads'));
    const conversations = JSON.stringify([chatGpt('porto', ['Which tram goes to the beach?'])]);
    writeFileSync(join(user, 'Downloads', 'export.zip'), zipOf({ 'conversations.json': conversations }));
    // Examples that name the ids of written records need a home without notes, where the ids begin with 1.
    const writtenHome = join(user, 'written');
    for (const example of [recordOperations.write.examples[0]!, ...recordOperations.write.examples])
      await loci(['write', '--input', '-'], { home: writtenHome, stdin: JSON.stringify(example.input) });
    await using old = await shadowdb();
    await old.reset('documented', `INSERT INTO memories (content) VALUES ('The oven is gas')`);
    let count = 0;
    for (const { name, load } of OPERATIONS) {
      const operation = await load();
      expect(operation.name).toBe(name);
      // An example has removed the vault.
      if (name === 'graph-status') await loci(['index', join(user, 'vault')], { home, env });
      if (name === 'graph-diff') {
        const { stdout: exported } = await loci(['graph', 'export'], { home, env });
        for (const file of ['monday.json', 'friday.json']) writeFileSync(join(user, file), exported);
      }
      // A namespace that was deleted cannot be written again.
      const ofAlice = new Map([
        ['delete-namespace', writtenHome],
        ['set-quota', home],
      ]).get(name);
      if (ofAlice !== undefined)
        await loci(['write', 'The oven is warm.'], {
          home: ofAlice,
          env: { ...env, LOCI_NAMESPACE: 'alice' },
        });
      if (name === 'golden')
        writeFileSync(join(user, 'golden.yaml'), 'queries:\n  - query: kitchen remodel\n');
      const { stdout: help } = await loci([...commandWords(name), '--help'], { home });
      const lines = [...help.matchAll(/^ {2}(loci .*)$/gm)].map((match) => match[1]!);
      expect(lines).toHaveLength(operation.examples.length);
      // A shell splits the lines, as when a user copies them.
      const script = lines.map((line) => `printf '%s\\0' ${line}; echo`).join('\n');
      const split = execFileSync('bash', ['-c', script], { env: { HOME: user }, encoding: 'utf8' });
      for (const [i, line] of lines.entries()) {
        const words = split.split('\0\n')[i]!.split('\0').slice(1);
        // The variables of this process are those of all tests.
        const args = words.map((word) => (word === 'env:SHADOWDB_URL' ? old.url : word));
        const exampleHome = ON_WRITTEN_RECORDS.has(name) || name.startsWith('embed-') ? writtenHome : home;
        if (NAMES_MISSING.has(name) && !args.includes('--until')) {
          // Nothing is proposed outside of OpenClaw, and no agent has changed anything.
          const { code, stdout } = await loci([...args, '--json'], { home: exampleHome, env });
          expect([line, code, JSON.parse(stdout)]).toMatchObject([line, 4, { error: { code: 'not_found' } }]);
          count++;
          continue;
        }
        const { code, stdout, stderr } = await loci([...args, '--json'], {
          home: exampleHome,
          env: name.startsWith('embed-') ? MODEL : env,
        });
        expect([line, code, stderr.includes('warning') ? stderr : '']).toEqual([line, 0, '']);
        count++;
        // The export itself is on standard output.
        if (name === 'graph-export') {
          expect(JSON.parse(stdout)).toMatchObject({ nodes: expect.anything() as unknown });
          continue;
        }
        if (name === 'export' && (args.length === 1 || args.at(-1) === '-')) {
          expect(stdout.split('\n').length).toBeGreaterThan(2);
          continue;
        }
        const output = operation.output.parse(JSON.parse(stdout));
        const view = { style: makeStyle(false), columns: 100, terminal: false, options: new Set<string>() };
        expect((await loadCommand(name)).render(output, view), line).toMatch(/^[^{[][^]*\n$/);
      }
    }
    expect(count).toBeGreaterThanOrEqual(OPERATIONS.length);
  }, 300_000);
});
