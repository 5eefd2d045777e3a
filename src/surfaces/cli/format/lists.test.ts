import { expect, it } from 'vitest';
import type { Problem } from '../../../engine/fields/record-fields.ts';
import type { View } from '../commands/operation-command.ts';
import { problemLines } from './lists.ts';
import { makeStyle } from './style.ts';

const view: View = { style: makeStyle(false), columns: 80, terminal: false, options: new Set<string>() };

function problem(path: string, reason: Problem['reason']): Problem {
  return { path, reason, detail: reason, skipped: false };
}

it('a date that many notes have in the same unclear form is named once', () => {
  const problems = [
    problem('a.md', 'ambiguous_date'),
    problem('b.md', 'invalid_front_matter'),
    ...Array.from({ length: 20 }, (_, i) => problem(`${String(i)}.md`, 'ambiguous_date')),
    problem('c.md', 'unreadable_date'),
  ];
  expect(problemLines(problems, view, 'My notes')).toEqual([
    '  note a.md: ambiguous_date (and 20 other notes; `loci sources show "My notes"` lists up to 20)',
    '  note b.md: invalid_front_matter',
    '  note c.md: unreadable_date',
  ]);
  expect(problemLines(problems, { ...view, options: new Set(['verbose']) })).toHaveLength(23);
});
