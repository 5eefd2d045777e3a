import type { JSX } from 'preact';
import { DIFF, FIELDS } from '../text/shell.ts';
import { counted, formatMoment, t } from '../text/text.ts';
import { PlainText } from './plain-text.tsx';

export interface DiffLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

interface DiffProps {
  /** What an entry of the audit log says of each field: its values before and after, or a patch. */
  readonly diff: Readonly<Record<string, unknown>>;
}

/** What was changed, a field each. */
export function Diff({ diff }: DiffProps): JSX.Element {
  return (
    <dl class="diff tight">
      {Object.entries(diff).map(([field, change]) => (
        <div key={field}>
          <dt>
            {Object.hasOwn(FIELDS, field) ? (
              t(FIELDS[field as keyof typeof FIELDS])
            ) : (
              <PlainText text={field} />
            )}
          </dt>
          <dd>
            <DiffLines lines={linesOf(field, change)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** An imported log may have changes of unknown shape. They are shown as JSON. */
function linesOf(field: string, change: unknown): DiffLine[] {
  if (typeof change !== 'object' || change === null || Array.isArray(change))
    return lines('+', valueText(field, change));
  const { patch, before, after, characters } = change as Readonly<Record<string, unknown>>;
  if (typeof patch === 'string') return patchLines(patch);
  if (typeof characters === 'number') return lines('+', counted(DIFF.characters, characters));
  if (before === undefined && after === undefined) return lines(' ', JSON.stringify(change, null, 2));
  return [
    ...(isNothing(before) ? [] : lines('-', valueText(field, before))),
    ...(isNothing(after) ? [] : lines('+', afterText(field, after))),
  ];
}

function isNothing(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function lines(sign: DiffLine['sign'], text: string): DiffLine[] {
  return text.split('\n').map((line) => ({ sign, text: line }));
}

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of a unified diff, each part of which begins with the number of its first line. */
function patchLines(patch: string): DiffLine[] {
  // "\ No newline at end of file".
  const all = patch
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => !line.startsWith('\\'));
  return all.map((line) => {
    const [, number] = HUNK.exec(line) ?? [];
    if (number !== undefined) return { sign: ' ', text: t(DIFF.line, { n: Number(number) }) };
    const sign = line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ';
    return { sign, text: line.slice(1) };
  });
}

/** The text after a change that is too large for a patch is described by its length. */
function afterText(field: string, after: unknown): string {
  const characters =
    typeof after === 'object' && after !== null && 'characters' in after ? after.characters : null;
  return typeof characters === 'number' ? counted(DIFF.characters, characters) : valueText(field, after);
}

function valueText(field: string, value: unknown): string {
  if (field === 'expires_at' && typeof value === 'string') return formatMoment(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return field === 'tags' ? value.map((tag) => `#${tag}`).join(' ') : value.join(', ');
  return JSON.stringify(value, null, 2);
}

const CLASSES = { '+': 'added', '-': 'removed', ' ': 'same' } as const;
const SIGNS = { '+': '+', '-': '−', ' ': '' } as const;

/** Lines of which some are added or removed. Signs mark them, not only colours. */
export function DiffLines({ lines: shown }: { readonly lines: readonly DiffLine[] }): JSX.Element {
  return (
    <ul class="diff-lines" tabIndex={0}>
      {shown.map(({ sign, text }, i) => (
        <li key={i} class={CLASSES[sign]}>
          <span>
            <span aria-hidden="true">{SIGNS[sign]}</span>
            {sign !== ' ' && (
              <span class="visually-hidden">{t(sign === '+' ? DIFF.added : DIFF.removed)}</span>
            )}
          </span>
          <PlainText text={text} />
        </li>
      ))}
    </ul>
  );
}
