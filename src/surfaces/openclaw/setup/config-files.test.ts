import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { valueAt } from '../../../core/json-path.ts';
import { changeKeys, PLUGIN } from './plugin-keys.ts';
import { ConfigFiles } from './config-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'loci-openclaw-config-'));
const root = join(folder, 'openclaw.json');
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function load(text: string, included: Readonly<Record<string, string>> = {}): Promise<ConfigFiles> {
  writeFileSync(root, text);
  for (const [name, content] of Object.entries(included)) writeFileSync(join(folder, name), content);
  return ConfigFiles.load(root);
}

async function changed(text: string, included: Readonly<Record<string, string>> = {}): Promise<ConfigFiles> {
  const files = await load(text, included);
  changeKeys(files, null, null);
  return files;
}

const plugins = {
  slots: { memory: PLUGIN },
  entries: { 'memory-loci': { enabled: true }, 'memory-core': { enabled: false } },
};

describe('changeKeys', () => {
  it('keeps comments, quotes, order and other plugins', async () => {
    const files = await changed(`// Mine.
{
  tools: { profile: 'full' }, // why
  plugins: {
    /* others */
    entries: {
      browser: { enabled: false, }, // not here
      'memory-core': { enabled: true, config: { dreaming: 1 } },
    },
  },
}
`);
    expect(files.text(root)).toBe(`// Mine.
{
  tools: { profile: 'full' }, // why
  plugins: {
    "slots": {
      "memory": "memory-loci"
    },
    /* others */
    entries: {
      "memory-loci": {
        "enabled": true
      },
      browser: { enabled: false, }, // not here
      'memory-core': { enabled: false, config: { dreaming: 1 } },
    },
  },
}
`);
  });

  it('writes JSON into a JSON file', async () => {
    const files = await changed('{\n  "gateway": {\n    "port": 1\n  }\n}\n');
    expect(JSON.parse(files.text(root))).toEqual({ gateway: { port: 1 }, plugins });
  });

  it('keeps CRLF line ends and a byte order mark', async () => {
    const files = await changed('\uFEFF{\r\n\t"a": 1\r\n}\r\n');
    expect(files.text(root)).toMatch(/^\uFEFF\{\r\n\t"plugins": \{\r\n[^]*\},\r\n\t"a": 1\r\n\}\r\n$/);
    expect(files.text(root)).not.toMatch(/[^\r]\n/);
  });

  it('changes the included file that has the keys', async () => {
    const text = '{ gateway: { port: 1 }, plugins: { $include: "./plugins.json5" } }';
    const files = await changed(text, {
      'plugins.json5': '{\n  // all plugins\n  allow: ["browser"], // short\n}\n',
    });
    expect(files.changedFiles()).toEqual([join(folder, 'plugins.json5')]);
    expect(files.values()['plugins']).toEqual({ allow: [PLUGIN, 'browser'], ...plugins });
    expect(files.text(join(folder, 'plugins.json5'))).toContain(
      '// all plugins\n  allow: ["memory-loci", "browser"], // short\n',
    );
  });

  it('says which key to set if several files could have it', async () => {
    const files = await load('{ plugins: { $include: ["a.json5", "b.json5"] } }', {
      'a.json5': '{}',
      'b.json5': '{}',
    });
    expect(() => {
      changeKeys(files, null, null);
    }).toThrow(/plugins\.slots\.memory/);
  });

  it('adds the folder of the plugin, and takes the place of an older build', async () => {
    const text = `{
  plugins: { load: { paths: [
    '/mine', // my own
    '/loci/openclaw-plugin/old', // Loci
  ] } },
}
`;
    const updated = await load(text);
    changeKeys(updated, null, '/loci/openclaw-plugin/new');
    expect(updated.text(root)).toContain(
      '\'/mine\', // my own\n    "/loci/openclaw-plugin/new", // Loci\n  ]',
    );

    const added = await load(text.replace(/.*openclaw-plugin.*\n/, ''));
    changeKeys(added, null, '/loci/openclaw-plugin/new');
    expect(added.text(root)).toContain('[\n    "/loci/openclaw-plugin/new",\n    \'/mine\', // my own\n  ]');
    const fresh = await load('{}');
    changeKeys(fresh, null, '/loci/openclaw-plugin/new');
    expect(fresh.values()['plugins']).toEqual({
      ...plugins,
      load: { paths: ['/loci/openclaw-plugin/new'] },
    });
  });

  it('changes nothing twice', async () => {
    const once = (await changed('{ plugins: { allow: [] } }')).text(root);
    const twice = await changed(once);
    expect(twice.changes).toEqual([]);
    expect(twice.text(root)).toBe(once);
  });
});

it.each([
  ['a.json5', { 'a.json5': '{ x: { $include: "a.json5" } }' }, 'a.json5 includes .*a.json5$'],
  [
    'a.json5',
    {
      'a.json5': '{ x: { $include: ["b.json5", "b.json5"] } }',
      'b.json5': '{ y: [{ $include: "a.json5" }] }',
    },
    'a.json5 includes .*b.json5 includes .*a.json5$',
  ],
])('files that include each other are refused: %s', async (name, included, message) => {
  await expect(load(`{ $include: "${name}" }`, included as Record<string, string>)).rejects.toThrow(
    new RegExp(message),
  );
});

it('a file that two others include is read once, whatever follows from it', async () => {
  const chain = Array.from({ length: 40 }, (_, i) => {
    const next = `{ $include: "${String(i + 1)}.json5" }`;
    return [`${String(i)}.json5`, i < 39 ? `{ a: ${next}, b: ${next} }` : '{ end: true }'] as const;
  });
  const files = await load('{ $include: "0.json5" }', Object.fromEntries(chain));
  expect(valueAt(files.values(), [...Array<string>(39).fill('b'), 'end'])).toBe(true);
});

describe('a changed text', () => {
  it('has all other values and all comments of any layout', async () => {
    await fc.assert(
      fc.asyncProperty(configText(), async (text) => {
        const files = await load(text);
        const { plugins: before, ...same } = files.values();
        changeKeys(files, null, null);
        const { plugins: now, ...others } = (await load(files.text(root))).values();
        expect(others).toEqual(same);
        expect(now).toMatchObject({
          ...(before as object | undefined),
          ...plugins,
          ...entriesOf(before),
          ...allowOf(before),
        });
        const comments = (each: string): string[] =>
          each.match(/\/\/ say, \{"x": 1\}|\/\* a, \} \*\//g) ?? [];
        expect(comments(files.text(root))).toEqual(comments(text));
      }),
    );
  });

  it('takes a time linear in the number of keys', async () => {
    const cpuTimeOf = async (keys: number): Promise<number> => {
      const lines = Array.from({ length: keys }, (_, i) => `  key${String(i)}: ${String(i)}, // why`);
      const before = process.threadCpuUsage();
      const files = await changed(`{\n${lines.join('\n')}\n}`);
      expect(files.text(root)).toContain('memory-loci');
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    await cpuTimeOf(3000);
    expect(await cpuTimeOf(18_000)).toBeLessThan(15 * (await cpuTimeOf(3000)));
  });

  it('is not made of a file with the key twice, where the change would have no effect', async () => {
    const files = await load('{ plugins: { slots: { memory: "a" } }, plugins: { slots: { memory: "b" } } }');
    const set = (): void => files.set(['plugins', 'slots', 'memory'], PLUGIN);
    try {
      set();
    } catch (error) {
      expect(String(error)).toContain('plugins.slots.memory');
      expect(files.changes).toEqual([]);
      return;
    }
    expect((await load(files.text(root))).values()).toEqual({ plugins: { slots: { memory: PLUGIN } } });
  });
});

function entriesOf(before: unknown): object {
  const { entries = {} } = (before ?? {}) as { entries?: Record<string, object> };
  const core = { ...entries['memory-core'], enabled: false };
  return { entries: { ...entries, ...plugins.entries, 'memory-core': core } };
}

function allowOf(before: unknown): object {
  const { allow } = (before ?? {}) as { allow?: string[] };
  return allow === undefined ? {} : { allow: [PLUGIN, ...allow] };
}

/** JSON5 texts of configurations with any layout. */
function configText(): fc.Arbitrary<string> {
  const newLine = fc.constantFrom('\n', '\r\n');
  return newLine.chain((line) => {
    const space = fc.constantFrom('', ' ', line, `${line}  `, `${line}\t`, `${line}${line}  `);
    const gap = fc.oneof(
      { weight: 4, arbitrary: space },
      fc
        .tuple(space, fc.constantFrom(`// say, {"x": 1}${line}`, '/* a, } */', `/*${line}*/`), space)
        .map((each) => each.join('')),
    );
    const container = (open: string, close: string, items: readonly string[]): fc.Arbitrary<string> =>
      fc
        .tuple(
          fc.array(gap, { minLength: 3 * items.length + 2, maxLength: 3 * items.length + 2 }),
          fc.boolean(),
        )
        .map(([gaps, trailing]) => {
          const parts = items.map(
            (item, at) =>
              `${gaps[3 * at] ?? ''}${item}${gaps[3 * at + 1] ?? ''}${at < items.length - 1 || trailing ? `,${gaps[3 * at + 2] ?? ''}` : ''}`,
          );
          return open + parts.join('') + (gaps.at(-1) ?? '') + close;
        });
    const object = (properties: readonly fc.Arbitrary<readonly [string, string]>[]): fc.Arbitrary<string> =>
      fc
        .tuple(
          fc.subarray([...properties]).chain((some) => fc.tuple(...some)),
          fc.constantFrom('"', "'", ''),
          gap,
        )
        .chain(([pairs, quote, between]) =>
          container(
            '{',
            '}',
            pairs.map(
              ([key, value]) =>
                `${key.includes('-') && quote === '' ? `"${key}"` : quote + key + quote}:${between}${value}`,
            ),
          ),
        );
    const plain = fc.constantFrom('1', "'x'", '"}"', 'null', '[1,]', '{ a: [ { } ] }', '.5');
    const pair = (key: string, value: fc.Arbitrary<string>): fc.Arbitrary<readonly [string, string]> =>
      value.map((text) => [key, text] as const);
    const enabled = object([pair('enabled', fc.constantFrom('true', 'false')), pair('config', plain)]);
    const allow = fc.subarray(["'browser'", '"x"']).chain((items) => container('[', ']', items));
    const parts = object([
      pair('entries', object([pair('browser', enabled), pair('memory-core', enabled)])),
      pair(
        'slots',
        object([pair('memory', fc.constantFrom('"memory-core"', "'none'")), pair('contextEngine', plain)]),
      ),
      pair('allow', allow),
    ]);
    const whole = object([pair('gateway', plain), pair('plugins', parts), pair('tools', plain)]);
    return fc
      .tuple(fc.constantFrom('', '\uFEFF'), gap, whole, gap)
      .map(([mark, before, text, after]) => mark + before + text + after);
  });
}
