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
    [['index', ''], 'PATH must be text of at least 1 character, not ""', ''],
    [['search', ' '], 'the query is empty', ''],
    [['search', 'x', '--limit', 'many'], '--limit must be a number, not "many"', ''],
    [['search', 'x', '--limit', '0'], '--limit must be at least 1, not 0', ''],
    [['search', 'x', '--limit', '1.5'], '--limit must be a whole number, not 1.5', ''],
    [['search', 'x', '--min-score', '2'], '--min-score must be at most 1, not 2', ''],
    [
      ['search', 'x', '--origin', 'vault,valt'],
      '--origin must be one of memory, fact, vault, source, audit, not "valt"',
      '',
    ],
    [['search', 'x', '--from', '14.9.2026'], '--from must be a date such as 2026-09-14', ''],
    [
      ['search', 'x', '--from', '2026-09-14', '--to', '2026-09-13'],
      '--to must be the same day as --from, or later, not "2026-09-13"',
      '',
    ],
    [
      ['search', 'x', '--from', '2026-09-14T10:00', '--until', '2026-09-14T10:00'],
      '--until must be the same day as --from, or later',
      '',
    ],
    [['search', 'x', '--from', 'whenever'], '--from must be a date such as 2026-09-14, 2026-09, 2026', ''],
    [['search', 'x', '--until', '2026-02-30'], '--until must be a date such as 2026-09-14', ''],
    [['write', ''], 'content is empty', ''],
    [['config', 'get', 'search.limt'], 'unknown key search.limt', 'did you mean search.limit?'],
    [['config', 'get', 'nope'], 'unknown key nope', '`loci config show` lists every setting'],
    [['config', 'get', 'search'], 'search is a section: search.limit', '`loci config show`'],
    [['config', 'set', 'search.limit', 'few'], 'search.limit: expected a whole number', ''],
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

  it('with only a group lists its commands', async () => {
    const { code, stdout } = await loci(['config', '--json'], { home });
    expect(code).toBe(2);
    expect((JSON.parse(stdout) as Failure).error.message).toBe(
      'config needs a command: init, show, get, set, migrate-store, completion',
    );
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

  it.each([
    ['{"qeury": "x"}', 2, 'unknown field qeury; did you mean query?'],
    ['[1]', 2, 'must contain a JSON object'],
    ['{', 2, 'not valid JSON'],
    ['{"query": 7}', 2, 'query must be text, not 7'],
    ['{"query": "x", "tags": "home"}', 2, 'tags must be a list, not "home"'],
    ['{"query": "x", "origins": ["valt"]}', 2, 'origins.0 must be one of memory, '],
    ['{"limit": 3}', 2, 'QUERY is missing'],
  ])('refuses %s', async (stdin, code, message) => {
    const result = await loci(['search', '--input', '-'], { home, stdin });
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });

  it('has exit code 8 if the file does not exist', async () => {
    expect(await loci(['search', '--input', join(home, 'none.json')], { home })).toMatchObject({ code: 8 });
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

  it('fits the terminal, also in wide characters', async () => {
    const wide = '函館の夜景と五稜郭を歩く'.repeat(12);
    await loci(['write', wide, '--title', '函館'.repeat(40), '--tag', '旅'], { home });
    const { stdout } = await loci(['search', '五稜郭'], { home, columns: 40 });
    expect(stdout).toContain('五稜郭');
    const columns = (line: string) =>
      [...line].reduce((sum, character) => sum + (character > '\u2e80' ? 2 : 1), 0);
    expect(Math.max(...stdout.split('\n').slice(0, -3).map(columns))).toBeLessThanOrEqual(40);
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
