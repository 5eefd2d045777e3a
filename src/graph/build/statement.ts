import { type Statement, statementOfProperty } from '../../sources/markdown/statement-property.ts';

/** The words directly before a link, anywhere in a line. */
const PHRASES: readonly (readonly [RegExp, Statement])[] = [
  [/\bsupersedes:{0,2}$/i, 'supersedes'],
  [/\bsuperseded by:{0,2}$/i, 'superseded_by'],
  [/\bderived from:{0,2}$/i, 'derived_from'],
];
/** A sentence may say that one oven replaces another one. Only as a label at the beginning of a line do these words speak of the note. */
const LABELS: readonly (readonly [RegExp, Statement])[] = [
  [/^(?:this (?:note|document|decision|page) )?(?:replaces|obsoletes|ersetzt):{0,2}$/i, 'supersedes'],
  [/^(?:this (?:note|document|decision|page) is )?(?:replaced|obsoleted) by:{0,2}$/i, 'superseded_by'],
  [/^(?:ersetzt durch|abgel\u00F6st durch):{0,2}$/i, 'superseded_by'],
  [/^(?:based on|abgeleitet von):{0,2}$/i, 'derived_from'],
];
/** Longer text before a link has the words at its end. UTF-16 code units. */
const MAX_LENGTH = 120;

/** What the words before a link say about its target. @param property the property that has the link; `null` in the text */
export function statementBefore(before: string, property: string | null): Statement | null {
  if (property !== null) return statementOfProperty(property);
  const isWhole = before.length <= MAX_LENGTH;
  const words = before
    .slice(-MAX_LENGTH)
    .replace(/[*_>]/g, '')
    .replace(/^[ \t]*(?:[-+][ \t]+)?/, '')
    .trim()
    .replace(/\s+/g, ' ');
  const all = isWhole ? [...PHRASES, ...LABELS] : PHRASES;
  return all.find(([pattern]) => pattern.test(words))?.[1] ?? null;
}
