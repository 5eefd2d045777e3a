import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/embed/embedder.ts';
import { loadTokenCounter } from '../../src/pack/tokens.ts';
import { defaultConfiguration } from '../configuration.ts';
import { answerReport, answerScores } from './answer-report.ts';
import { evaluateAnswers } from './evaluate-answers.ts';
import type { AskedQuestion } from './measure.ts';
import { PeerIndex } from './peer-index.ts';
import type { Corpus } from './question-set.ts';
import { cutSection, sectionsOf } from './sections.ts';
import { fill } from './systems.ts';

const NOTE =
  '---\ntags: [a]\n---\n\n# Oven\n\nIt is blue.\n\n## Delivery\n\nIn May:\n\n- by lorry\n\n# Hob\nGlass.\n';
const FILLER = 'The wall is painted white, and so is the door. '.repeat(80);

describe('sectionsOf', () => {
  it('cuts a note from heading to heading, with the headings above', () => {
    const sections = sectionsOf('Oven.md', NOTE);
    expect(sections.map(({ headings }) => headings)).toEqual([[], ['Oven'], ['Oven', 'Delivery'], ['Hob']]);
    expect(sections[2]).toEqual({
      path: 'Oven.md',
      headings: ['Oven', 'Delivery'],
      text: '## Delivery\n\nIn May:\n\n- by lorry\n',
      lines: { from: 9, to: 14 },
    });
    expect(sections.map(({ text }) => text).join('\n')).toBe(NOTE);
  });

  it('cuts long sections at blank lines', () => {
    const paragraph = 'x'.repeat(600);
    const [section] = sectionsOf('a.md', `# A\n\n${paragraph}\n\n${paragraph}\n\n${paragraph}`);
    const pieces = cutSection(section!);
    expect(pieces.map(({ text }) => text.length)).toEqual([5 + 600 + 2 + 600, 600]);
    expect(pieces.every(({ headings }) => headings[0] === 'A')).toBe(true);
  });
});

describe('PeerIndex', () => {
  it('ranks sections by words, headings and the name of the note included', async () => {
    const sections = [...sectionsOf('Oven.md', NOTE), ...sectionsOf('Wall.md', `# Wall\n\n${FILLER}`)];
    const index = await PeerIndex.build(sections, null);
    const [first] = await index.rank('when is the delivery of the oven in May?');
    expect(first?.headings).toEqual(['Oven', 'Delivery']);
    expect((await index.rank('walls'))[0]?.path).toBe('Wall.md');
    expect(await index.rank('…')).toHaveLength(sections.length);
  });
});

describe('PeerIndex with a model', () => {
  it('ranks by meaning where no word matches', async () => {
    const directions = (texts: readonly string[]): Float32Array[] =>
      texts.map((text) => Float32Array.from(/Glass|pane/.test(text) ? [1, 0] : [0, 1]));
    const embedder: Embedder = {
      ...{ provider: 'test', model: 'two directions', dimensions: 2, maxTokens: 100 },
      embed: (texts) => Promise.resolve(directions(texts)),
      countTokens: (text) => text.length,
      close: () => Promise.resolve(),
    };
    const index = await PeerIndex.build(sectionsOf('Oven.md', NOTE), embedder);
    expect((await index.rank('a pane'))[0]?.headings).toEqual(['Hob']);
  });
});

describe('fill', () => {
  it('takes part after part until the budget is full, and cuts the last', async () => {
    const count = await loadTokenCounter();
    expect(fill(['one two', 'three', 'four'], 4, count)).toBe('one two\n\nthree');
    expect(fill(['one two three four', 'five'], 2, count)).toBe('one two');
    expect(fill(['one', 'two'], 1000, count)).toBe('one\n\ntwo');
    expect(fill([], 1000, count)).toBe('');
  });
});

describe('evaluateAnswers', () => {
  let folder = '';
  let evaluate: (half: 'test' | null) => Promise<AskedQuestion[]>;
  let asked: AskedQuestion[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loci-answers-'));
    const root = join(folder, 'notes');
    mkdirSync(root);
    writeFileSync(
      join(root, 'Oven.md'),
      `# Oven\n\nThe oven comes on 3 May by lorry.\n\n## Colour\n\n${FILLER}\n\nThe oven is blue.\n`,
    );
    writeFileSync(join(root, 'Shed.md'), `# Shed\n\nThe key of the shed hangs by the door.\n\n${FILLER}\n`);
    const need = (text: string) => ({ path: 'Oven.md', text, or: [] });
    const when = [need('The oven comes on 3 May by lorry.'), need('The oven is blue.')];
    const question = { half: 'dev' as const, needs: [] };
    const corpus: Corpus = {
      ...{ id: 'small', root },
      questions: [
        {
          ...question,
          id: '1',
          q: 'when does the oven come and which colour has it?',
          cat: 'answered',
          needs: when,
        },
        { ...question, id: '2', q: 'zeppelins', cat: 'far' },
        { ...question, id: '3', q: 'the price of the oven', cat: 'near', half: 'test' },
      ],
    };
    evaluate = (half) => {
      const configuration = { ...defaultConfiguration(), provider: 'none' as const };
      const options = { half, folder: join(folder, 'cache') };
      return evaluateAnswers([corpus], configuration, { embedder: null }, options);
    };
    asked = await evaluate(null);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('names the statements that each text lacks, and counts its tokens', () => {
    const [{ outcomes }] = asked as [AskedQuestion];
    expect(outcomes['whole notes']?.[500]?.missing).toEqual(['The oven is blue.']);
    expect(outcomes['whole notes']?.[4000]?.missing).toEqual([]);
    expect(outcomes['grep']?.[4000]?.missing).toEqual([]);
    for (const ofSystem of Object.values(outcomes))
      for (const [budget, { tokens }] of Object.entries(ofSystem)) {
        expect(tokens).toBeGreaterThan(0);
        expect(tokens).toBeLessThanOrEqual(Number(budget));
      }
  });

  it('asks one half only, with the same outcomes from the store of an earlier run', async () => {
    expect(await evaluate('test')).toEqual(asked.filter(({ half }) => half === 'test'));
  });

  it('judges what the first result of a search shows', () => {
    const [{ first }] = asked as [AskedQuestion];
    expect(first).toEqual({ isRight: true, inLines: true, inPlaces: true, inSnippet: true });
    expect(asked[1]?.first.isRight).toBe(false);
    const report = answerReport([
      { ...asked[0]!, first: { ...first, inLines: false, inSnippet: false } },
    ]).join('\n');
    expect(report).toMatch(/^ {2}search +100\.0 \(1\) +0\.0 \(0\) +100\.0 \(1\) +0\.0 \(0\)$/m);
  });

  it('notices which texts say that there is no answer', () => {
    const [, far, near] = asked as [AskedQuestion, AskedQuestion, AskedQuestion];
    expect(far.outcomes['pack']?.[1000]).toEqual({ tokens: 0, saysNoAnswer: true, missing: [] });
    expect(near.outcomes['whole notes']?.[1000]?.saysNoAnswer).toBe(false);
  });

  it('reports shares over all statements and questions', () => {
    expect(answerScores(asked, 'whole notes', 500)).toMatchObject({
      needs: 0.5,
      inFull: 0,
      falselyDenied: 0,
    });
    expect(answerScores(asked, 'whole notes', 4000)).toMatchObject({ needs: 1, inFull: 1 });
    expect(answerScores(asked, 'pack', 500).unanswerable.denied).toBe(1);
    const report = answerReport(asked);
    expect(report[0]).toBe('all: 1 questions that need 2 statements, and 2 without an answer');
    expect(report.join('\n')).toMatch(/^ {2}whole notes +50\.0 \/ 0\.0 \(\d+\)/m);
    expect(report.filter((line) => /^\w+: /.test(line)).map((line) => line.split(':')[0])).toEqual([
      'all',
      'dev',
      'test',
    ]);
  });
});
