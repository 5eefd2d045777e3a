import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loci, lociJson, startLoci, temporaryFolder } from './loci-command.ts';

interface Failure {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}

describe('a wrong command line', () => {
  const home = join(temporaryFolder(), 'home');

  // Some of the command lines are valid until the operation is called, and it needs a store.
  beforeAll(async () => {
    await loci(['config', 'init'], { home });
  });

  it.each([
    [['serach', 'oven'], `unknown command 'serach'`, 'Did you mean search?'],
    [['backup'], `unknown command 'backup'`, '`loci export --to FILE` writes everything into a file'],
    [['upgrade'], `unknown command 'upgrade'`, 'docs/install.md says how to update Loci.'],
    [['search', 'oven', '--lmit', '3'], `unknown option '--lmit'`, 'Did you mean --limit?'],
    [
      ['search', 'oven', '-gas'],
      `unknown option '-gas'`,
      'After `--`, words may begin with `-`. Usage: loci search',
    ],
    [['status', 'now'], 'too many arguments', 'Usage: loci status [options]; see `loci status --help`.'],
    [['search'], 'QUERY is missing', 'Usage: loci search [options] <QUERY...>; see `loci search --help`.'],
    [
      ['config', 'set', 'search.limit'],
      'VALUE is missing',
      'Usage: loci config set [options] <KEY> <VALUE>; see `loci config set --help`.',
    ],
    [
      ['search', 'x', '--limit'],
      "option '-n, --limit <n>' argument missing",
      'Usage: loci search [options] <QUERY...>; see `loci search --help`.',
    ],
    [['search', ' '], 'the query is empty', ''],
    [['search', 'x', '--limit', 'many'], '--limit must be a number, not "many"', ''],
    [
      ['search', 'x', '--origin', 'vault,valt'],
      '--origin must be one of memory, fact, vault, source, audit, not "valt"',
      '',
    ],
    [
      ['search', 'x', '--from', '2026-09-14', '--to', '2026-09-13'],
      '--to must be the same day as --from, or later, not "2026-09-13"',
      '',
    ],
    [['write', ''], 'content is empty', ''],
    [['config', 'sett', 'a', 'b'], `unknown command 'sett'`, 'Did you mean set?'],
  ])('has exit code 2 and an explanation: %j', async (args, message, hint) => {
    const { code, stdout, stderr } = await loci(args, { home });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^loci: /);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
    const json = await loci([...args, '--json'], { home });
    expect(json).toMatchObject({ code: 2, stderr: '' });
    const { error } = JSON.parse(json.stdout) as Failure;
    expect(error.code).toBe('invalid_input');
    expect(`${error.message} ${error.hint}`).toContain(message);
  });

  it('creates no home folder', async () => {
    const fresh = join(temporaryFolder(), 'home');
    const searched = await loci(['search', 'oven', '--json'], { home: fresh });
    expect(searched.code).toBe(6);
    expect((JSON.parse(searched.stdout) as Failure).error).toMatchObject({
      code: 'store_not_found',
      hint: expect.stringContaining('loci config init') as string,
    });
    expect((await loci(['get', 'x.md'], { home: fresh })).code).toBe(6);
    expect((await loci(['status'], { home: fresh })).code).toBe(6);
    expect(() => mkdirSync(fresh)).not.toThrow();
  });
});

describe('wrong settings', () => {
  it('have exit code 3, with file, line and the nearest key, except for doctor', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'loci.yaml'), 'search:\n  limitt: 3\n');
    for (const args of [['search', 'x'], ['index'], ['config', 'init'], ['write', 'x'], ['config', 'show']]) {
      const { code, stderr } = await loci(args, { home });
      expect([args, code]).toEqual([args, 3]);
      expect(stderr).toContain(`${home}/loci.yaml:2: unknown key search.limitt; did you mean search.limit?`);
    }
  });

  it('in the environment cause a warning, unless log.level is error', async () => {
    const home = temporaryFolder();
    const env = { LOCI_SERCH_LIMIT: '3' };
    await loci(['config', 'init'], { home });
    const warned = await loci(['status'], { home, env });
    expect(warned.stderr).toContain(
      'loci: warning: LOCI_SERCH_LIMIT is not a setting of Loci and is ignored',
    );
    expect((await loci(['status'], { home, env: { ...env, LOCI_LOG_LEVEL: 'error' } })).stderr).toBe('');
  });

  it('that give two vaults the same name are refused, even if it differs in case', async () => {
    const home = temporaryFolder();
    const named = [
      [
        'vaults:\n  - path: a/notes\n  - path: b/notes\n',
        '3: vaults[1].path: another source or vault is called notes',
      ],
      [
        'vaults:\n  - path: a/notes\n  - path: b\n    name: Notes\n',
        '4: vaults[1].name: another source or vault is called notes, which differs from Notes only in case',
      ],
      [
        'vaults:\n  - path: a/Tasks\nsources:\n  - id: tasks\n    command: ls\n',
        '4: sources[0].id: another source or vault is called Tasks, which differs from tasks only in case',
      ],
    ] as const;
    for (const [settings, problem] of named) {
      writeFileSync(join(home, 'loci.yaml'), settings);
      const { code, stderr } = await loci(['index'], { home });
      expect([code, stderr]).toEqual([3, expect.stringContaining(`${home}/loci.yaml:${problem}`)]);
    }
  });

  it('are avoided: an added folder gets a name that differs from existing ones in more than case', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'Tasks'));
    writeFileSync(join(home, 'loci.yaml'), 'sources:\n  - id: tasks\n    command: ls\n');
    expect((await loci(['index', join(home, 'Tasks')], { home })).code).toBe(0);
    expect(readFileSync(join(home, 'loci.yaml'), 'utf8')).toContain('name: Tasks-2');
  });
});

describe('--input', () => {
  const home = temporaryFolder();
  const file = join(home, 'input.json');

  it('reads fields from a file or standard input; the command line wins', async () => {
    await loci(['write', 'Wombats dig burrows'], { home });
    const stdin = JSON.stringify({ query: 'wombats', limit: 3 });
    const { results } = await lociJson<{ results: unknown[] }>(['search', '--input', '-'], { home, stdin });
    expect(results).toHaveLength(1);
    writeFileSync(file, stdin);
    const other = await lociJson<{ results: unknown[]; query: string }>(
      ['search', 'platypus', '--input', file],
      { home },
    );
    expect(other).toMatchObject({ query: 'platypus', results: [] });
  });
});

describe('untrusted text', () => {
  const home = temporaryFolder();
  // These sequences clear the screen, set the title and the clipboard, and reverse the writing direction; one uses an 8-bit CSI.
  const hostile = '\u001b[2J\u001b]0;pwned\u0007\u001b]52;c;cHduZWQ=\u0007\u202egnp.exe\u009b31m\r';

  it('cannot control a terminal, whether it is in a note, its name, its tags or its title', async () => {
    const vault = join(temporaryFolder(), 'vault');
    mkdirSync(vault);
    const name = `wallaby ${hostile.replaceAll('/', '')}.md`;
    writeFileSync(
      join(vault, name),
      `---\ntitle: "wallaby \\e[2J"\ntags: ["a\\e[1mb"]\n---\nwallaby ${hostile}\n`,
    );
    const outputs = [
      await loci(['index', vault], { home }),
      await loci(['search', 'wallaby', '--explain'], { home, terminal: true, env: { FORCE_COLOR: '0' } }),
      await loci(['search', 'wallaby', '--json'], { home }),
      await loci(['search', `wallaby ${hostile}`, '--tag', hostile], { home }),
      await loci(['get', `wallaby ${hostile}.md`], { home, terminal: true, env: { FORCE_COLOR: '0' } }),
      await loci(['get', `wallaby ${hostile}.md`, '--plain'], {
        home,
        terminal: true,
        env: { FORCE_COLOR: '0' },
      }),
      await loci(['get', hostile], { home }),
      await loci(['status'], { home }),
    ];
    for (const { stdout, stderr } of outputs) {
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
    expect(outputs[1]?.stdout).toContain('␛[2J');
    const { results } = JSON.parse(outputs[2]?.stdout ?? '') as { results: { snippet: string }[] };
    expect(results[0]?.snippet).toContain('\u001b]52;c;');
    const plain = await loci(['get', `wallaby ${hostile}.md`, '--plain'], { home });
    expect(plain.stdout).toContain('\u001b]52;c;');
  });

  it('has its matched words marked, only on a terminal', async () => {
    await loci(['write', 'The numbat eats termites'], { home });
    const coloured = await loci(['search', 'numbats'], { home, terminal: true });
    expect(coloured.stdout).toContain('The \u001b[1m\u001b[4mnumbat\u001b[24m\u001b[22m eats');
    for (const options of [
      {},
      { terminal: true, env: { NO_COLOR: '1' } },
      { terminal: true, env: { TERM: 'dumb' } },
    ]) {
      expect((await loci(['search', 'numbats'], { home, ...options })).stdout).toContain('│ The numbat eats');
    }
    expect((await loci(['search', 'numbats'], { home, env: { FORCE_COLOR: '1' } })).stdout).toContain(
      '\u001b[1m\u001b[4m',
    );
  });
});

describe('standard output that is closed early', () => {
  it('is not an error', async () => {
    const home = temporaryFolder();
    await loci(['write', 'Quolls hunt at night. '.repeat(20_000)], { home });
    const { child, ended } = startLoci(['get', 'record/1', '--plain'], { home });
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });
});
