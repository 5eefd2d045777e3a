import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWERS, comparable, loadQuestionSet, missingNeeds, notesOf } from './question-set.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loci-answers-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the questions of this repository', () => {
  const corpora = loadQuestionSet(ANSWERS);

  it('have their statements in exactly the note that they name', () => {
    for (const corpus of corpora) {
      const notes = new Map([...notesOf(corpus)].map(([path, text]) => [path, comparable(text)]));
      for (const { id, needs } of corpus.questions)
        for (const { path, text } of needs.flatMap((need) => [need, ...need.or])) {
          const holders = [...notes].flatMap(([note, all]) => (all.includes(comparable(text)) ? [note] : []));
          expect({ id, text, holders }).toEqual({ id, text, holders: [path] });
        }
    }
  });

  it('are at least 64 with an answer and 16 without, half of them near', () => {
    const all = corpora.flatMap(({ questions }) => questions);
    const ofCategory = (category: string): number => all.filter(({ cat }) => cat === category).length;
    expect(ofCategory('answered')).toBeGreaterThanOrEqual(64);
    expect(ofCategory('near')).toBeGreaterThanOrEqual(8);
    expect(ofCategory('far')).toBe(ofCategory('near'));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  it('alternate between the halves within each category', () => {
    for (const { questions } of corpora)
      for (const category of ['answered', 'near', 'far']) {
        const halves = questions.filter(({ cat }) => cat === category).map(({ half }) => half);
        expect(halves).toEqual(halves.map((_, i) => (i % 2 === 0 ? 'dev' : 'test')));
      }
  });
});

describe('loadQuestionSet', () => {
  it.each([
    ['near', [{ path: 'a.md', text: 'x' }], 'is near and needs 1 statements'],
    ['answered', [], 'is answered and needs 0 statements'],
    ['other', [], 'cat'],
  ])('refuses a question that is %s with needs %j', (cat, needs, why) => {
    const file = join(folder, 'set.json');
    const questions = [{ id: 'q', q: 'why?', half: 'dev', cat, needs }];
    writeFileSync(file, JSON.stringify({ name: 'x', corpora: [{ id: 'c', root: '.', questions }] }));
    expect(() => loadQuestionSet(file)).toThrow(why);
  });
});

describe('missingNeeds', () => {
  const need = (text: string, ...or: string[]) => ({
    ...{ path: 'a.md', text },
    or: or.map((other) => ({ path: 'b.md', text: other })),
  });

  it('finds a sentence across lines, in a quote, and without its emphasis', () => {
    const text = '> - **Cost.** Moving the pipe\n>   is `$2,150` and\n> no less.';
    expect(missingNeeds([need('Cost. Moving the pipe is `$2,150` and no less.')], text)).toEqual([]);
  });

  it('finds a row of a table whatever the widths of its columns', () => {
    expect(missingNeeds([need('Spices | shoe **box**')], '| Spices   |  shoe box |')).toEqual([]);
  });

  it('names what is not there, and what is there only in part', () => {
    const needs = [need('The oven comes in May.'), need('It is blue.')];
    expect(missingNeeds(needs, 'The oven comes in June. It is blue.')).toEqual([needs[0]]);
  });

  it('takes one statement of a fact for another', () => {
    expect(missingNeeds([need('It failed.', 'It broke.')], 'It broke.')).toEqual([]);
  });
});
