import type { JSX } from 'preact';
import { AUDIT } from '../../text/pages/audit.ts';
import { counted, t } from '../../text/text.ts';
import { PlainText } from '../../parts/plain-text.tsx';

interface ChangeProps {
  /** What an entry of the audit log says of each field: its values before and after, or a patch. */
  readonly diff: Readonly<Record<string, unknown>>;
}

/** What an entry of the audit log changed, a field each. Signs mark added and removed lines, not only colours. */
export function Change({ diff }: ChangeProps): JSX.Element {
  return (
    <dl class="change-fields">
      {Object.entries(diff).map(([field, change]) => (
        <div key={field}>
          <dt>
            <PlainText text={field} />
          </dt>
          <dd>
            <Lines lines={linesOf(change)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface Line {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** An imported log may have changes of unknown shape. They are shown as JSON. */
function linesOf(change: unknown): Line[] {
  if (typeof change !== 'object' || change === null || Array.isArray(change))
    return lines('+', valueText(change));
  const { patch, before, after, characters } = change as Readonly<Record<string, unknown>>;
  if (typeof patch === 'string') return patchLines(patch);
  if (typeof characters === 'number') return lines('+', counted(AUDIT.characters, characters));
  if (before === undefined && after === undefined) return lines(' ', JSON.stringify(change, null, 2));
  return [
    ...(before === undefined || before === null ? [] : lines('-', valueText(before))),
    ...(after === undefined || after === null ? [] : lines('+', afterText(after))),
  ];
}

function lines(sign: Line['sign'], text: string): Line[] {
  return text.split('\n').map((line) => ({ sign, text: line }));
}

function patchLines(patch: string): Line[] {
  return patch
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('\\'))
    .map((line) => {
      const sign = line.startsWith('+') ? '+' : line.startsWith('-') ? '-' : ' ';
      return { sign, text: line.startsWith('@@') ? line : line.slice(1) };
    });
}

/** The text after a change that is too large for a patch is described by its length. */
function afterText(after: unknown): string {
  const characters =
    typeof after === 'object' && after !== null && 'characters' in after ? after.characters : null;
  return typeof characters === 'number' ? counted(AUDIT.characters, characters) : valueText(after);
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  return JSON.stringify(value, null, 2);
}

const CLASSES = { '+': 'added', '-': 'removed', ' ': 'same' } as const;
const SIGNS = { '+': '+', '-': '−', ' ': '' } as const;

function Lines({ lines: shown }: { readonly lines: readonly Line[] }): JSX.Element {
  return (
    <ul class="diff-lines" tabIndex={0}>
      {shown.map(({ sign, text }, i) => (
        <li key={i} class={CLASSES[sign]}>
          <span>
            <span aria-hidden="true">{SIGNS[sign]}</span>
            {sign !== ' ' && (
              <span class="visually-hidden">{t(sign === '+' ? AUDIT.added : AUDIT.removed)}</span>
            )}
          </span>
          <PlainText text={text} />
        </li>
      ))}
    </ul>
  );
}
