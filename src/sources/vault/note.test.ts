import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Note } from './note.ts';
import { NOTE_LIMITS, parseNote } from './note.ts';
import { repetitions } from '../../../test/repetitions.ts';

function targets(content: string): string[] {
  return parseNote(content).links.map(({ target }) => target);
}

function tags(content: string): readonly string[] {
  return parseNote(content).tags;
}

describe('parseNote, front matter', () => {
  it('extracts known fields and keeps the others', () => {
    const note = parseNote(
      '---\ntitle: The oven\nid: 42\nproject: house\naliases: [Stove, Cooker]\ntags: [Kitchen, "#home/oven"]\nrating: 5\n---\ntext',
    );
    expect(note).toEqual({
      title: 'The oven',
      identity: '42',
      project: 'house',
      category: null,
      type: null,
      tags: ['Kitchen', 'home/oven'],
      aliases: ['Stove', 'Cooker'],
      links: [],
      blockIds: [],
      dates: [],
      frontMatter: { rating: 5 },
      frontMatterProblem: null,
    } satisfies Note);
  });

  it('reports front matter that nothing closes, which stays text', () => {
    const { tags, frontMatterProblem } = parseNote('---\ntags: [wifi]\n\nThe password.');
    expect(tags).toEqual([]);
    expect(frontMatterProblem).toContain('no line `---` closes it');
  });

  it('accepts lists in one string, and field names in the singular', () => {
    const note = parseNote('---\ntag: kitchen, home oven\nalias: Stove, The cooker\nuid: abc\n---\n');
    expect(note.tags).toEqual(['kitchen', 'home', 'oven']);
    expect(note.aliases).toEqual(['Stove', 'The cooker']);
    expect(note.identity).toBe('abc');
  });

  it('extracts category and type if they are single names, and keeps them in the front matter', () => {
    const one = parseNote('---\ncategory: " Recipes "\ntype: 7\n---\n');
    expect([one.category, one.type]).toEqual(['Recipes', '7']);
    expect(one.frontMatter).toEqual({ category: ' Recipes ', type: '7' });
    const linked = parseNote('---\ncategory: "[[Books|book]]"\n---\n');
    expect([linked.category, linked.type]).toEqual(['Books', null]);
    const several = parseNote('---\ncategory: [a, b]\ntype: {a: b}\n---\n');
    expect([several.category, several.type]).toEqual([null, null]);
    expect(several.frontMatter).toEqual({ category: ['a', 'b'], type: { a: 'b' } });
  });

  it('ignores a title, id or project that is empty or not a name', () => {
    const note = parseNote(
      '---\ntitle: ""\nid: [1]\nproject: null\ntags: ["", 7, {a: b}]\naliases: 3\n---\n',
    );
    expect([note.title, note.identity, note.project]).toEqual([null, null, null]);
    expect(note.tags).toEqual(['7']);
    expect(note.aliases).toEqual(['3']);
  });

  it('reads known fields in any case', () => {
    const note = parseNote('---\nTags: [a]\nTAGS: b\nAliases: [c]\nTitle: T\nID: 007\nStatus: open\n---\n');
    expect(note).toMatchObject({ tags: ['a', 'b'], aliases: ['c'], title: 'T', identity: '007' });
    expect(note.frontMatter).toEqual({ Status: 'open' });
  });

  it('reads what stands beside a faulty line, and links in that line', () => {
    const note = parseNote('---\nfamily: [[A]] [[B]]\ntags: [a, b] c\nid: 1.10\n---\n');
    expect(note).toMatchObject({
      links: [{ target: 'A' }, { target: 'B' }],
      tags: ['a', 'b'],
      identity: '1.10',
    });
    expect(note.frontMatterProblem).toContain('lines 2, 3 of the file');
  });

  it('reads TOML', () => {
    const note = parseNote(
      '+++\ntitle = "Oven: hot"\ndate = 2024-05-16T10:00:00Z # noon\ntags = [\n  "a",\n  "b",\n]\nrating = 1.10\n\n[extra]\nby = \'Ann\'\n+++\n#c',
    );
    expect(note).toMatchObject({ title: 'Oven: hot', tags: ['a', 'b', 'c'], frontMatterProblem: null });
    expect(note.frontMatter).toEqual({ date: '2024-05-16T10:00:00Z', rating: '1.10', extra: { by: 'Ann' } });
    expect(parseNote('+++\ntitle = "A" B\nid = 7\n+++\n')).toMatchObject({ title: '"A" B', identity: '7' });
  });

  it('reads JSON', () => {
    const note = parseNote('{\n  "title": "Oven",\n  "tags": ["a"],\n  "date": "2024-05-16"\n}\n#b');
    expect(note).toMatchObject({ title: 'Oven', tags: ['a', 'b'], frontMatter: { date: '2024-05-16' } });
  });

  it.each([
    '{ "tags": ["heron"], "aliases": ["White Bird"], "date": "2024-05-05" }',
    '{ "tags": ["heron"], "aliases": ["White Bird"],\n  "date": "2024-05-05" }',
    '{\n\t"tags": ["heron"],\n\t"aliases": [\n\t\t"White Bird"\n\t],\n\t"date": "2024-05-05"\n}',
    '\n{"tags":["heron"],"aliases":["White\\u0020Bird"],"date":"2024-05-05"}',
  ])('reads JSON between the lines of dashes: %s', (json) => {
    expect(parseNote(`---\n${json}\n---\nbody #b`)).toMatchObject({
      tags: ['heron', 'b'],
      aliases: ['White Bird'],
      frontMatter: { date: '2024-05-05' },
      dates: [{ role: 'date', text: '2024-05-05' }],
      frontMatterProblem: null,
    });
  });

  it('reports JSON that is invalid, and JSON that is not closed', () => {
    const { tags, frontMatterProblem } = parseNote('---\n{ "tags": ["heron"], "a": [1 }\n---\nbody');
    expect(frontMatterProblem).toMatch(/line 2 of the file/);
    expect(tags).toEqual(['heron']);
    expect(parseNote('---\n{ "tags": ["heron"] }\n').frontMatterProblem).toMatch(/no line `---` closes it/);
    expect(parseNote('---\n{braces} in a text\n---\nbody').frontMatterProblem).toBeNull();
  });

  it('finds dates in the front matter, then in inline fields', () => {
    const note = parseNote(
      '---\nCreated: 2024-05-01\nrating: 5\n---\ndate:: 2024-05-02\n- **Updated**:: [[2024-05-03]]\n\n' +
        '[created:: 2024-05-04]\n\n- [ ] call [created:: 2024-05-05]\n\n```\ndate:: 2024-05-06\n```\n\nsee date:: 2024-05-07',
    );
    expect(note.dates.map(({ role, text }) => `${role} ${text}`)).toEqual([
      'created 2024-05-01',
      'date 2024-05-02',
      'modified [[2024-05-03]]',
      'created 2024-05-04',
    ]);
  });

  it('finds no dates in fields below the first sentence, which are of what the note is about', () => {
    const dates = (text: string) => parseNote(text).dates.map(({ property }) => property);
    expect(dates('# Bolero\n\nA piece by Ravel.\n\ndate-created:: 1928-11-22\ndate:: 2024-05-02')).toEqual(
      [],
    );
    expect(
      dates(
        '# Day\n> [!info]\n> created:: 2024-05-02\n\n#daily [[Up]]\n---\ntags:: x\nupdated:: 2024-05-03\n\nText',
      ),
    ).toEqual(['created', 'updated']);
  });

  it('finds links in properties', () => {
    const note = parseNote(
      '---\nproject: "[[Projects/House|House]]"\nup: "[[Index#Rooms]]"\nsee: ["[[A]]", "no [[B]]"]\n---\n',
    );
    expect(note.project).toBe('Projects/House');
    expect(note.links.map(({ target }) => target)).toEqual(['Projects/House', 'Index', 'A']);
  });

  it('reports invalid YAML and parses the text', () => {
    const note = parseNote('---\ntitle: Oven\ntags: [kitchen\n---\n[[Text]] #tag');
    expect(note.frontMatterProblem).not.toBeNull();
    expect(note.links).toEqual([{ target: 'Text' }]);
    expect(note.tags).toEqual(['kitchen', 'tag']);
  });
});

describe('parseNote, links', () => {
  it('parses target, heading, block, alias and embedding', () => {
    const text =
      '[[Note]] [[Note#Part]] [[Note#A#B|shown]] [[Note#^id1]] [[folder/Note.md|]] [[#Here]] ![[plan.png|300]] ![[Note#^id1]]';
    expect(parseNote(text).links).toEqual([
      { target: 'Note' },
      { target: 'Note', heading: 'Part' },
      { target: 'Note', heading: 'A#B', alias: 'shown' },
      { target: 'Note', block: 'id1' },
      { target: 'folder/Note.md' },
      { target: '', heading: 'Here' },
      { target: 'plan.png', alias: '300', embed: true },
      { target: 'Note', block: 'id1', embed: true },
    ]);
  });

  it('finds Markdown links to files, but not to the web', () => {
    const text =
      '[a](Other%20note.md#Part) ![b](img/p.png "title") [c](<with space.md>) [d](x_(1).md) [e](https://a.b/c) [f](mailto:a@b) [g](//a.b)';
    expect(parseNote(text).links).toEqual([
      { target: 'Other note.md', heading: 'Part', alias: 'a' },
      { target: 'img/p.png', alias: 'b', embed: true },
      { target: 'with space.md', alias: 'c' },
      { target: 'x_(1).md', alias: 'd' },
    ]);
  });

  it.each<[string, object[]]>([
    ['[x](a%23one.md)', [{ target: 'a#one.md', alias: 'x' }]],
    ['[x](C%23%20notes.md#Part%20%231)', [{ target: 'C# notes.md', heading: 'Part #1', alias: 'x' }]],
    ['[x](<a%23one.md#%5Eid1>)', [{ target: 'a#one.md', block: 'id1', alias: 'x' }]],
    ['[x](100%.md#50%25)', [{ target: '100%.md', heading: '50%', alias: 'x' }]],
    ['See [a [b] c](T.md)', [{ target: 'T.md', alias: 'a [b] c' }]],
    ['> See [long\n> name](T.md)', [{ target: 'T.md', alias: 'long name' }]],
    ['[x][r] now\n\n[r]: T.md', [{ target: 'T.md', alias: 'x' }]],
    [
      '[X Y][] and [x  y]\n\n> [x y]: <T%23 1.md#a> "title"',
      [
        { target: 'T# 1.md', heading: 'a', alias: 'X Y' },
        { target: 'T# 1.md', heading: 'a', alias: 'x y' },
      ],
    ],
    ['![x][r]\n\n[r]:\n  plan.png (a title)', [{ target: 'plan.png', alias: 'x', embed: true }]],
    ['[x][web] [y][none] [ ] [^1]\n\n[web]: https://a.b\n[unused]: T.md\n[^1]: T.md', []],
    ['[said]\n\n[said]: that is a remark', []],
    [
      '[![i](p.png)](T.md)',
      [
        { target: 'T.md', alias: 'i' },
        { target: 'p.png', alias: 'i', embed: true },
      ],
    ],
    [
      '[![[p.png]]](T.md)',
      [
        { target: 'T.md', alias: '![[p.png]]' },
        { target: 'p.png', embed: true },
      ],
    ],
    ['[a [b](T.md) c](U.md)', [{ target: 'T.md', alias: 'b' }]],
    ['[a [[T]] c](U.md)', [{ target: 'T' }]],
    ['[a \\] b](T.md)', [{ target: 'T.md', alias: 'a ] b' }]],
    ['\\[a](T.md)', []],
    ['[x](a\\_b&amp;c.md)', [{ target: 'a_b&c.md', alias: 'x' }]],
    [
      '[x](T.md (title)) [y](U.md\n"two\nlines") [z](V.md "a \\"b\\" c")',
      [
        { target: 'T.md', alias: 'x' },
        { target: 'U.md', alias: 'y' },
        { target: 'V.md', alias: 'z' },
      ],
    ],
    [
      '[x]( T.md ) [y](< U V.md >)',
      [
        { target: 'T.md', alias: 'x' },
        { target: 'U V.md', alias: 'y' },
      ],
    ],
    ['[`a]b`](T.md)', [{ target: 'T.md', alias: '`a]b`' }]],
    ['a <b [x](T.md) > c', [{ target: 'T.md', alias: 'x' }]],
    ['[x <i title="](U.md)"> y](T.md)', [{ target: 'T.md', alias: 'x <i title="](U.md)"> y' }]],
    ['[x ``a`](U.md)`` y](T.md)', [{ target: 'T.md', alias: 'x ``a`](U.md)`` y' }]],
    ['[a](b [T](T.md)', [{ target: 'T.md', alias: 'T' }]],
    ['`[x](T.md)` [x](two words.md) [x]()', []],
  ])('reads the links of %j as CommonMark does', (text, expected) => {
    expect(parseNote(text).links).toEqual(expected);
  });

  it('finds links in every kind of block', () => {
    const text =
      '# H [[a]]\n\n- [[b]]\n  - [[c]]\n\n> [[d]]\n\n| [[e\\|shown]] | x |\n|---|---|\n| y | **[[f]]** |\n\n[^1]: [[g]]\n\nSetext [[h]]\n---\n';
    expect(targets(text)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  });

  it('ignores links in code, comments, HTML and escapes', () => {
    const text =
      '`[[a]]` ``x ` [[b]]`` %%[[c]]%% \\[[d]] <i title="[[e]]">\n\n```\n[[f]]\n```\n\n    [[g]]\n\n%%\n[[h]]\n%%\n\n<!-- [[i]] -->\n\n[[j\nk]] [[]] [[|x]] [[#]] [[#^]] [^1] [[ok]]';
    expect(targets(text)).toEqual(['ok']);
  });

  it('returns each link once, and no more than the limit', () => {
    expect(targets('[[a]] [[b]] [[a]] [[a|x]]')).toEqual(['a', 'b', 'a']);
    const many = Array.from({ length: 100_000 }, (_, n) => `[[note ${String(n)}]]`).join(' ');
    expect(parseNote(many).links.length).toBe(NOTE_LIMITS.links);
  });
});

describe('parseNote, names', () => {
  it('do not depend on the Unicode form', () => {
    const fields = 'title: ガイド\nproject: Küche\naliases: [パス]\nid: é';
    const names = { title: 'ガイド', project: 'Küche', aliases: ['パス'], identity: 'é' };
    for (const form of ['NFC', 'NFD']) {
      expect(parseNote(`---\n${fields.normalize(form)}\n---\n`)).toMatchObject(names);
    }
  });
});

describe('parseNote, tags', () => {
  it('do not depend on the Unicode form', () => {
    expect(tags('#データ and #データ'.normalize('NFD'))).toEqual(['データ']);
    expect(tags(`---\ntags: [${'Küche'.normalize('NFD')}]\n---\n#küche`)).toEqual(['Küche']);
  });

  it('may contain letters, digits, _, - and /', () => {
    expect(tags('#kitchen and #home/oven, (#a-b_c) #2024plan #厨房 #été #🏠 #1/2a')).toEqual([
      ...['kitchen', 'home/oven', 'a-b_c', '2024plan', '厨房', 'été', '🏠', '1/2a'],
    ]);
    expect(tags('# Heading #inside\n\n- #item\n\n> #quote\n\n#first at the start')).toEqual([
      'inside',
      'item',
      'quote',
      'first',
    ]);
    expect(tags('#end/ #stop. #comma, **#bold**')).toEqual(['end', 'stop', 'comma', 'bold']);
  });

  it('are not found where Obsidian finds none', () => {
    expect(
      tags(
        '#2024 #1/2 # space a#b https://a.b/c#frag [x](a.md#part) &#39; `#code` \\#escaped #--- ## #\n\n```\n#define X\n```\n\n%% #hidden %%\n\n<a href="#x">',
      ),
    ).toEqual([]);
  });

  it('are returned once regardless of case, front matter first', () => {
    expect(tags('---\ntags: [Kitchen]\n---\n#kitchen #Oven #oven')).toEqual(['Kitchen', 'Oven']);
  });
});

describe('parseNote, block ids', () => {
  it('are found at the end of a block', () => {
    const text =
      'A paragraph. ^p1\n\n- item ^i-1\n- other\n\n| a |\n|---|\n| b |\n\n^table\n\n2 ^ 3 ^no and\n\n`^code`\n\n```\n^fenced\n```';
    expect(parseNote(text).blockIds).toEqual(['p1', 'i-1', 'table']);
  });
});

describe('parseNote, for every text', () => {
  it('never throws and returns valid links and tags', () => {
    const piece = fc.constantFrom(
      ...[
        '[[',
        ']]',
        '![[',
        '[',
        '](',
        ')',
        '#',
        '^',
        '|',
        '`',
        '```\n',
        '%%',
        '<!--',
        '-->',
        '<',
        '>',
        '\\',
        '\n',
        '\n\n',
        '- ',
        '> ',
      ],
      ...['---\n', 'a: ', '\0', '\uD83D', '漢', ' ', 'a', '/', '\t', '~~~', '*', '_', '&', '!', '"', '://'],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 8 }))), (pieces) => {
        const note = parseNote(pieces.join(''));
        expect(JSON.parse(JSON.stringify(note))).toEqual(note);
        for (const tag of note.tags) expect(tag).not.toMatch(/^#|^$/);
        for (const link of note.links)
          expect(link.target + (link.heading ?? '') + (link.block ?? '')).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });

  it('takes time in proportion to the length, even for hostile text', () => {
    const size = repetitions(200_000, 500_000);
    for (const unit of [
      '[',
      '![',
      '[[',
      '[[a',
      '[a](',
      '[a](<',
      '[a](b ',
      '#',
      '#a',
      '%% ',
      '<a ',
      '<!-- ',
      '\\',
      'a ^',
      '`',
      '*_',
      '[\\]',
      '[a](b "',
      '[a]: b\n',
      '![[a](',
      '[a][',
      '[[a] ',
    ]) {
      const startTime = performance.now();
      parseNote(`x ${unit.repeat(size / unit.length)}]`);
      expect(performance.now() - startTime, unit).toBeLessThan(5000);
    }
  });
});
