import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sectionsOf } from './cut.ts';

function cut(text: string): string[] {
  return sectionsOf(text).map(({ start, end }) => text.slice(start, end));
}

function headings(text: string): string[][] {
  return sectionsOf(text).map((section) => section.headings.map(({ start, end }) => text.slice(start, end)));
}

const sentence = 'The oven needs a cable of its own, which the electrician lays in autumn. ';
const paragraph = sentence.repeat(8).trimEnd();

describe('sections', () => {
  it('go from heading to heading, and know the headings above them', () => {
    const text =
      '---\ntags: [a]\n---\nIntro.\n\n# Kitchen\n\nWalls.\n\n## Oven\n\nInduction.\n\n# Garden\n\nA shed.\n';
    expect(cut(text)).toEqual([
      'Intro.',
      '# Kitchen\n\nWalls.',
      '## Oven\n\nInduction.',
      '# Garden\n\nA shed.',
    ]);
    expect(headings(text)).toEqual([[], ['# Kitchen'], ['# Kitchen', '## Oven'], ['# Garden']]);
  });

  it('begin with the headings that have no text of their own', () => {
    expect(cut('# Kitchen\n\n## Oven\n\nInduction.\n')).toEqual(['# Kitchen\n\n## Oven\n\nInduction.']);
    expect(cut('# A\n\n# B\n\nText.\n')).toEqual(['# A', '# B\n\nText.']);
  });

  it('are cut at blank lines near 1,400 characters', () => {
    const sections = cut(Array.from({ length: 6 }, () => paragraph).join('\n\n'));
    expect(sections).toHaveLength(3);
    for (const each of sections) expect(each).toBe(`${paragraph}\n\n${paragraph}`);
  });

  it('are not cut within a list, a table or code, nor between a colon and what it announces', () => {
    const items = Array.from({ length: 30 }, () => `- ${sentence}`).join('\n');
    const rows = Array.from({ length: 30 }, (_, i) => `| ${String(i)} | ${sentence}|`).join('\n');
    const code = `\`\`\`\n${Array.from({ length: 30 }, () => sentence).join('\n\n')}\n\`\`\``;
    for (const block of [items, `| a | b |\n|---|---|\n${rows}`, code]) {
      const sections = cut(`${paragraph}\n\n${paragraph}\n\nThese are the cases:\n\n${block}\n\nAfter.`);
      expect(sections.filter((each) => each.includes('These are the cases:'))).toEqual([
        expect.stringContaining(block.trimEnd()) as string,
      ]);
    }
  });

  it('of a long table have its head', () => {
    const rows = Array.from({ length: 120 }, (_, i) => `| ${String(i)} | ${sentence}|`).join('\n');
    const text = `| number | what |\n|---|---|\n${rows}\n`;
    const sections = sectionsOf(text);
    expect(sections.length).toBeGreaterThan(3);
    for (const [i, { start, end, tableHead }] of sections.entries()) {
      expect(text.slice(start, end)).toMatch(/^\|.*\|$/s);
      expect(tableHead === null ? null : text.slice(tableHead.start, tableHead.end)).toBe(
        i === 0 ? null : '| number | what |\n|---|---|',
      );
    }
  });

  it('of a transcript without blank lines end with a line', () => {
    const turns = Array.from({ length: 400 }, (_, i) => `Anna: ${String(i)} ${sentence.trimEnd()}`);
    const sections = cut(turns.join('\n'));
    expect(sections.flatMap((each) => each.split('\n'))).toEqual(turns);
    for (const each of sections) expect(each.length).toBeLessThanOrEqual(1400);
  });

  it('announce the next one with a colon', () => {
    const text = `## Cases\n\nThese are they:\n\n## First\n\nIt **ends**:\n\n%% a note %%\n\nHere.\n`;
    expect(sectionsOf(text).map(({ leadsOn }) => leadsOn)).toEqual([true, true, false]);
  });

  it('have no comments on lines of their own', () => {
    const text = 'Before.\n\n%% Erik: do not\n\nedit this. %%\n\n<!-- nor\nthis -->\nAfter.\n\n%% open';
    expect(cut(text)).toEqual(['Before.', 'After.\n\n%% open']);
    expect(cut('# Commands\n\n<!-- Made by a script. -->\n\nText.\n')).toEqual(['Text.']);
    expect(headings('# Commands\n\n<!-- Made by a script. -->\n\nText.\n')).toEqual([['# Commands']]);
  });
});

describe('any text', () => {
  const unit = fc.constantFrom(
    ...[
      '# A\n',
      '## B\n',
      '\n',
      'Some words. ',
      '- item\n',
      '| a | b |\n',
      '|---|---|\n',
      '```\n',
      '%%',
      '<!--',
      '-->\n',
    ],
    ...[paragraph, '\r\n', ':', '---\n', '\t', '\u3000', '文。', '\ud83d'],
  );
  const text = fc.array(unit, { maxLength: 60 }).map((units) => units.join(''));

  it('is in sections in order, without overlaps, each not empty', () => {
    fc.assert(
      fc.property(text, (given) => {
        let at = 0;
        for (const { start, end } of sectionsOf(given)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBeLessThanOrEqual(given.length);
      }),
      { numRuns: 300 },
    );
  });
});
