import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taskIn } from '../../graph/build/outline.ts';
import { readPageText, withCheckbox, withWikilinks } from './page-text.ts';

const ID = '6512aa00-1111-4222-8333-444455556666';

describe('readPageText', () => {
  it('reads the properties of the first block', () => {
    const { properties, content } = readPageText(
      'alias:: Koi pond, [[The Pond, old]]\ntags:: garden, #water, #[[still water]]\ntype:: [[Place]]\nempty::\n\n- text\n  other:: 1',
    );
    expect(properties).toEqual({
      alias: ['Koi pond', 'The Pond, old'],
      tags: ['garden', '#water', 'still water'],
      type: '[[Place]]',
      empty: '',
    });
    expect(content).toContain('type:: [[Place]]');
    expect(readPageText('- title:: Pond\n  tags:: a\n- status:: open').properties).toEqual({
      title: 'Pond',
      tags: ['a'],
    });
    expect(readPageText('- a text\n  title:: Pond').properties).toEqual({});
    expect(readPageText('see http://a::b').properties).toEqual({});
  });

  it('leaves out what Logseq does not show, and keeps the lines', () => {
    const text = `- Roses\n  id:: ${ID}\n  collapsed:: true\n  color:: red\n\t- TODO water\n\t  :LOGBOOK:\n\t  CLOCK: [2024-05-02 Thu 10:00:00]\n\t  :END:\n- id:: ${ID}\n- end`;
    const { content, blockIds } = readPageText(text);
    expect(content.split('\n')).toEqual([
      '- Roses',
      '',
      '',
      '  color:: red',
      '\t- TODO water',
      '',
      '',
      '',
      '-',
      '- end',
    ]);
    expect(blockIds).toEqual([ID, ID]);
  });

  it('keeps code, and a drawer that is not closed', () => {
    const code = `- \`\`\`\n  id:: ${ID}\n  :LOGBOOK:\n  :END:\n  \`\`\`\n- :LOGBOOK:\n  :LOGBOOK:\n- a\n  :END:`;
    expect(readPageText(code)).toMatchObject({ content: code, blockIds: [] });
  });

  it('keeps the number of lines of every text', () => {
    const piece = fc.constantFrom(
      '- ',
      '  ',
      '\n',
      'id:: x',
      `id:: ${ID}`,
      ':LOGBOOK:',
      ':END:',
      '```',
      'a:: b',
      'text',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const { content } = readPageText(text);
        expect(content.split('\n').length).toBe(text.split('\n').length);
        expect(readPageText(content).content).toBe(content);
      }),
    );
  });
});

describe('the syntax of Logseq as that of Obsidian', () => {
  it('makes wikilinks of references and embeds', () => {
    expect(
      withWikilinks(`see ((${ID.toUpperCase()})) and {{embed [[Pond]]}}, {{embed ((${ID}))}} ((a note))`),
    ).toBe(`see [[((${ID}))]] and ![[Pond]], ![[((${ID}))]] ((a note))`);
  });

  it.each([
    ['- TODO Water the roses', 'Water the roses', false, null],
    ['\t- DOING [#A] Water\t', 'Water', false, null],
    ['* LATER Water', 'Water', false, null],
    ['- NOW Water', 'Water', false, null],
    ['- WAITING Water', 'Water', false, null],
    ['- DONE Water', 'Water', true, null],
    ['- CANCELED Water', 'Water', true, null],
    ['- TODO Water DEADLINE: <2024-05-02 Thu 10:00 .+1w>', 'Water', false, '2024-05-02'],
    ['- TODO Water SCHEDULED: <2024-05-02 Thu>', 'Water', false, null],
    ['- [ ] Water', 'Water', false, null],
  ])('reads %s as a task', (line, title, done, due) => {
    expect(taskIn(withCheckbox(withWikilinks(line)))).toMatchObject({ title, done, due });
  });

  it.each(['TODO alone', '- TODO', '- TODOS are here', '- the TODO list', '- NOWHERE land', '- todo later'])(
    'reads no task in %s',
    (line) => {
      expect(taskIn(withCheckbox(line))).toBeNull();
    },
  );
});
