import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderForAll, openInline, settings, writeNotes } from '../../../../test/contract/engines.ts';
import type { EngineContext } from '../../context.ts';
import { indexVaults } from '../../reading/index-vaults.ts';
import { search } from '../search.ts';
import { get } from '../get.ts';

const folder = folderForAll();
let loci: EngineContext;

const CANVAS = `---
title: The canvas
aliases: [Whiteboard]
---
# Canvas

intro

## Advanced *tips*

tips

### Shortcuts

keys

\`\`\`md
## Not a heading
\`\`\`

## Colours

red

### Shortcuts

more keys
`;

beforeAll(async () => {
  await writeNotes(join(folder.path, 'home'), {
    'Oven.md': 'first\nthe oven\nthird\nfourth',
    'Only.md': 'only here',
    'Years/1.md': '# Year\n\nthe first year ^sum\n\nand more',
    '99.md': 'bottles',
    'Pläne/番茄 (a) #1.md': 'special characters',
    'Home/Kitchen remodel.md': 'a plan',
    'Menus/Menu 1.md': 'soup',
    'Menus/Menu 2.md': 'soup again',
    'Menus/Menu 3.md': 'soup once more',
    'Menus/Menu 4.md': 'no soup',
    'Plugins/Canvas.md': CANVAS,
    'Long.md': `# Long\n\n${'Words of a long note.\n'.repeat(1000)}\n## End\n\nthe end`,
    'Plugins/C#.md': '# Notes\n\n## Why C#?\n\nfor C#\n',
  });
  await writeNotes(join(folder.path, 'work'), { 'Oven.md': 'the oven of the canteen' });
  await writeFile(join(folder.path, 'secret.md'), 'nothing for you');
  loci = await openInline(
    settings(folder.path, {
      vaults: [
        { name: 'home', path: join(folder.path, 'home') },
        { name: 'my: work', path: join(folder.path, 'work') },
      ],
      search: { minScore: 0 },
    }),
  );
  await indexVaults(loci);
});

afterAll(() => loci.close());

describe('a citation', () => {
  it('names the source when two sources have the path, and is accepted by get', async () => {
    const { results } = await search(loci, { query: 'oven' });
    expect(results.map(({ citation }) => citation).toSorted()).toEqual([
      'home:Oven.md#L1-L4',
      'my: work:Oven.md#L1-L1',
    ]);
    for (const { citation, id } of results) expect((await get(loci, { citation })).id).toBe(id);
    await expect(get(loci, { citation: 'Oven.md' })).rejects.toMatchObject({
      code: 'ambiguous',
      message: 'Oven.md is in several sources: home:Oven.md, my: work:Oven.md',
    });
    await expect(get(loci, { citation: 'Oven' })).rejects.toMatchObject({ code: 'ambiguous' });
  });

  it('is the path alone when only one source has it, and is accepted without extension and in any Unicode form', async () => {
    const [only] = (await search(loci, { query: 'only here' })).results;
    expect(only?.citation).toBe('Only.md#L1-L1');
    for (const name of ['Only', 'Only.md', 'home:Only.md', 'Pläne/番茄 (a) #1.md'.normalize('NFD')])
      expect((await get(loci, { citation: name })).lines.total).toBe(1);
    await expect(get(loci, { citation: 'my: work:Only.md' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(get(loci, { citation: 'nowhere:Oven.md' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('reads its lines, up to the last line of the record', async () => {
    const read = async (lines: string): Promise<unknown> => {
      const { text, lines: range } = await get(loci, { citation: `home:Oven.md#${lines}` });
      expect(range.total).toBe(4);
      return [text, range.from, range.to];
    };
    expect(await read('L2')).toEqual(['the oven', 2, 2]);
    expect(await read('L2-L3')).toEqual(['the oven\nthird', 2, 3]);
    expect(await read('L2-3')).toEqual(['the oven\nthird', 2, 3]);
    expect(await read('L3-L99')).toEqual(['third\nfourth', 3, 4]);
    expect(await read('L4-L4')).toEqual(['fourth', 4, 4]);
  });

  it.each([
    ['L0-L1', 'lines count from L1'],
    ['L0', 'lines count from L1'],
    ['L5', 'the text has 4 lines'],
    ['L99-L100', 'the text has 4 lines'],
    ['L3-L1', 'the end is before the beginning'],
  ])('of lines that do not exist, %s, is refused with the number of lines', async (lines, why) => {
    await expect(get(loci, { citation: `home:Oven.md#${lines}` })).rejects.toMatchObject({
      code: 'invalid_input',
      message: `there are no lines ${lines} in "home:Oven.md": ${why}`,
      hint: expect.stringContaining('L1 to L4') as string,
    });
  });

  it('of a number alone is the name of a note first, then the number of a record', async () => {
    const first = await get(loci, { citation: 'record/1' });
    expect(first).toMatchObject({ id: 1, path: '99.md' });
    expect((await get(loci, { citation: 'loci://record/1' })).id).toBe(1);
    expect((await get(loci, { citation: '1' })).path).toBe('Years/1.md');
    expect((await get(loci, { citation: '1#L3' })).text).toBe('the first year ^sum');
    expect((await get(loci, { citation: '1#^sum' })).text).toBe('the first year ^sum');
    await expect(get(loci, { citation: '1#^total' })).rejects.toMatchObject({
      message: 'there is no block "^total" in "1"',
      hint: 'Its blocks are "^sum".',
    });
    expect((await get(loci, { citation: '2' })).id).toBe(2);
  });

  it('is also the name of a note: its file without extension, its title or an alias, in any case', async () => {
    for (const name of ['canvas', 'CANVAS.md', 'the Canvas', 'whiteboard', ' Whiteboard '])
      expect((await get(loci, { citation: name })).path, name).toBe('Plugins/Canvas.md');
    expect((await get(loci, { citation: 'kitchen remodel' })).path).toBe('Home/Kitchen remodel.md');
    expect((await get(loci, { citation: 'only.MD#L1' })).path).toBe('Only.md');
  });

  it('that is the name of several notes is refused with their paths', async () => {
    await expect(get(loci, { citation: 'oven' })).rejects.toMatchObject({
      code: 'ambiguous',
      message: '"oven" is the name of several notes: home:Oven.md, my: work:Oven.md',
      hint: 'Request one of these paths.',
    });
  });

  it.each([
    ['Plugins/Canvas.md#Advanced tips', [9, 19]],
    ['canvas#advanced-tips', [9, 19]],
    ['Canvas#Shortcuts', [13, 19]],
    ['canvas#Colours#Shortcuts', [25, 27]],
    ['canvas#canvas#colours', [21, 27]],
    ['canvas#Canvas', [5, 27]],
    ['canvas#Colours#L1-L2', [1, 2]],
    ['Plugins/C#.md#Why C#?', [3, 5]],
    ['c##notes', [1, 5]],
    // A long text is parsed in a thread.
    ['long#end', [1004, 1006]],
  ])('with a heading, %s, reads the lines below it', async (citation, [from, to]) => {
    const { id, lines, text } = await get(loci, { citation });
    expect(lines).toMatchObject({ from, to });
    const whole = await get(loci, { citation: `record/${String(id)}` });
    expect(text).toBe(
      whole.text
        .split('\n')
        .slice(from! - 1, to)
        .join('\n'),
    );
  });

  it('with a heading that the note does not have is refused with its headings', async () => {
    await expect(get(loci, { citation: 'canvas#Not a heading' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'there is no heading "Not a heading" in "canvas"',
      hint: 'Its headings are "Canvas", "Advanced tips", "Shortcuts", "Colours".',
    });
    await expect(get(loci, { citation: 'Only.md#...' })).rejects.toMatchObject({
      hint: 'The text has no headings.',
    });
  });

  it.each([
    ['[[only]]', 'Did you mean "Only.md"?'],
    ['Olny', 'Did you mean "Only.md"?'],
    ['kitchen remodels', 'Did you mean "Home/Kitchen remodel.md"?'],
    ['![[Kitchen remodel#Oven|the oven]]', 'Did you mean "Home/Kitchen remodel.md"?'],
    ['Archive/Kitchen Remodel.md#L3-L9', 'Did you mean "Home/Kitchen remodel.md"?'],
    ['kitchn/remodel', 'Search again for a current citation.'],
    ['nowhere:Oven.md', 'Did you mean "home:Oven.md" or "my: work:Oven.md"?'],
    ['Pläne/番茄 (A) #2.md', 'Did you mean "Pläne/番茄 (a) #1.md"?'],
    ['Menu 9', 'Did you mean "Menus/Menu 1.md", "Menus/Menu 2.md" or "Menus/Menu 3.md"?'],
    ['97', 'Search again for a current citation.'],
    ['record/98', 'Search again for a current citation.'],
    ['zzz', 'Search again for a current citation.'],
  ])('that matches nothing, %s, is refused with suggestions', async (citation, hint) => {
    await expect(get(loci, { citation })).rejects.toMatchObject({ code: 'not_found', hint });
  });

  it('of another namespace is not suggested', async () => {
    const other = await openInline(settings(folder.path, { namespace: 'other' }));
    try {
      const expected = { code: 'not_found', hint: 'Search again for a current citation.' };
      await expect(get(other, { citation: 'only' })).rejects.toMatchObject(expected);
    } finally {
      await other.close();
    }
  });

  it('never leads to a file that is not indexed (R4)', async () => {
    await mkdir(join(folder.path, 'home', 'sub'));
    const paths = [
      '../secret.md',
      'home:../secret.md',
      'home/../../secret.md',
      '../../etc/passwd',
      '/etc/passwd',
      'home:/etc/passwd',
      join(folder.path, 'secret.md'),
      join(folder.path, 'home', 'Only.md'),
      'file:///etc/passwd',
      '..%2fsecret.md',
      '%2e%2e/secret.md',
      '..\\secret.md',
      'Only.md\0',
      'Only.md\0../../secret',
      './Only.md',
      'sub/../Only.md',
      '',
      ':',
      '#L1',
      'record/0',
      'record/99999999999999999999999',
      'record/-1',
      'record/1e3',
      '9'.repeat(400),
      "' OR 1=1 --",
      '\ud83d',
    ];
    for (const path of paths) {
      for (const citation of [path, `${path}#L1-L2`])
        await expect(get(loci, { citation }), citation).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
