import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Loci, type OpenOptions, openLoci } from '../../src/index.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { methodName } from '../../src/surfaces/library/methods.ts';
import { libraryTypes } from '../../scripts/library-types.ts';
import { readSource, ROOT } from '../arch/source-files.ts';
import { writeNotes } from '../contract/engines.ts';
import { loci as run, temporaryFolder } from './loci-command.ts';

const settings = { embedding: { provider: 'none' } };

async function open(options: OpenOptions = {}): Promise<Loci> {
  const loci = await openLoci({ home: join(temporaryFolder(), 'home'), settings, ...options });
  onTestFinished(() => loci.close());
  return loci;
}

describe('the library', () => {
  it('has every operation as a method, whose types have the descriptions of its fields', async () => {
    const methods = Object.keys(await open());
    expect(methods).toEqual(expect.arrayContaining(OPERATIONS.map(({ name }) => methodName(name))));
    const types = await libraryTypes();
    for (const { name, load } of OPERATIONS) {
      expect(types).toContain(`  ${methodName(name)}(input`);
      expect(types).toContain((await load()).description);
    }
    expect(types).toContain('  /** `get` reads it. */\n    citation: string;\n');
    expect(types).not.toMatch(/: unknown\b/);
  });

  it('answers as the command line does with --json', async () => {
    const home = join(temporaryFolder(), 'home');
    const loci = await open({ home });
    await loci.write({ content: 'The stopcock is under the stairs.' });
    await loci.factStore({ key: 'stopcock', value: 'stiff', expires: '1d' });
    const env = { LOCI_EMBEDDING_PROVIDER: 'none' };
    for (const [words, answer] of [
      [['search', 'stopcock'], await loci.search({ query: 'stopcock' })],
      [['get', 'record/1'], await loci.get({ citation: 'record/1' })],
      [['fact', 'list'], await loci.factList()],
      [['inbox', 'audit'], await loci.audit()],
      [['graph', 'show', 'stopcock'], await loci.graphShow({ nodes: ['stopcock'] })],
    ] as const) {
      const { stdout } = await run([...words, '--json'], { home, env });
      const shown = JSON.parse(stdout) as Record<string, unknown>;
      const timeless = (value: object): object => ({ ...value, took_ms: null });
      expect(timeless(shown)).toEqual(timeless(answer));
    }
  });

  it('refuses wrong arguments with the name of the field', async () => {
    const loci = await open();
    const wrong: readonly [call: () => Promise<unknown>, message: string][] = [
      [() => loci.search({ query: 5 as never }), 'query must be text, not 5'],
      [() => loci.search(undefined as never), 'query is missing'],
      [() => loci.get('x' as never), 'the input must be an object of fields, not "x"'],
      [() => loci.list({ limt: 1 } as never), 'unknown field limt; did you mean limit?'],
      [() => loci.list({}, { signal: 1 as never }), 'signal must be an AbortSignal, not 1'],
      [() => openLoci({ home: 7 as never }), 'home must be text, not 7'],
      [() => openLoci({ hom: 'x' } as never), 'unknown field hom; did you mean home?'],
    ];
    for (const [call, message] of wrong)
      await expect(call()).rejects.toMatchObject({ code: 'invalid_input', message });
    for (const namespace of [1 as never, 'a'.repeat(500), 'a\nb\0', ''])
      expect(() => loci.as({ namespace })).toThrow(/^namespace must be text/);
    await expect(loci.register(null as never)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'source: expected an object',
    });
  });

  it('takes an undefined field as absent, and ends a call on its signal', async () => {
    const loci = await open();
    const written = await loci.write({ content: 'Oak.', title: undefined as never });
    expect(written).toMatchObject({ id: 1, citation: 'record/1' });
    const signal = AbortSignal.abort();
    for (const call of [() => loci.doctor({}, { signal }), () => loci.write({ content: 'Ash.' }, { signal })])
      await expect(call()).rejects.toMatchObject({ code: 'aborted' });
    expect((await loci.list()).records).toHaveLength(1);
    const { created_at, updated_at } = await loci.get({ citation: 'record/1' });
    expect(updated_at).toBe(created_at);
  });

  it('exports to a file and has no standard input and output', async () => {
    const loci = await open();
    await loci.write({ content: 'Oak.' });
    const to = join(temporaryFolder(), 'export.jsonl');
    expect(await loci.export({ to })).toMatchObject({ to, counts: { record: 1 }, lines: null });
    expect(readFileSync(to, 'utf8')).toContain('Oak.');
    const { nodes, written } = await loci.graphExport();
    expect([nodes.length > 0, written]).toEqual([true, false]);
    for (const call of [loci.export({ to: '-' }), loci.import({ path: '-' })])
      await expect(call).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('refuses a missing store on request', async () => {
    await expect(open({ create: false })).rejects.toMatchObject({ code: 'store_not_found' });
  });
});

/** Runs the programs of a page, with this folder as the home of the user, and returns what they print. */
async function programOutputs(page: string, module: string, source: string, home: string): Promise<string[]> {
  const library = pathToFileURL(join(ROOT, source)).href;
  const programs = [...readSource(page).matchAll(/^```ts\n([^]*?)^```$/gm)];
  const env = {
    ...process.env,
    HOME: home,
    LOCI_HOME: join(home, '.loci'),
    LOCI_EMBEDDING_PROVIDER: 'none',
  };
  const outputs: string[] = [];
  for (const [i, [, program = '']] of programs.entries()) {
    const file = join(home, `program${String(i)}.ts`);
    writeFileSync(file, program.replace(`'${module}'`, JSON.stringify(library)));
    outputs.push((await promisify(execFile)(process.execPath, [file], { env })).stdout);
  }
  return outputs;
}

describe('programs in the documentation', () => {
  it('docs/library.md', async () => {
    expect(await programOutputs('docs/library.md', 'loci-memory', 'src/index.ts', temporaryFolder())).toEqual(
      [
        'record/1 The stopcock is under the stairs.\n',
        '2026-11-20 true\ndefault 2\n',
        'invalid_input limit must be a number, not "three"\n',
        '1\n0\n',
      ],
    );
  });

  it('docs/adapters.md', async () => {
    const home = temporaryFolder();
    await writeNotes(home, {
      'notes/Kitchen.md': 'A note about the hob.',
      'ledger/Oven.md': 'The oven costs 900.',
    });
    expect(
      await programOutputs('docs/adapters.md', 'loci-memory/adapters', 'src/adapters/index.ts', home),
    ).toEqual(['Oven | The oven costs 900.\n0\nThe oven costs 900.\ntrue\n']);
  });
});
