import { trueUntil } from '../../../../core/valid-until.ts';
import type { GetOutput } from '../../../../engine/records/get.ts';
import { oneLine } from '../../../shared/escape-control.ts';

type Provenance = Pick<GetOutput, 'origin' | 'source' | 'trust'>;

/** The text to print after "From", and texts such as `due Friday` or `2 d ago`. Records of sources have both in their `from` line. */
export function provenanceOf(record: Provenance & Pick<GetOutput, 'from' | 'age' | 'valid_until'>): {
  readonly name: string;
  readonly times: readonly string[];
} {
  if (record.from === null) return { name: originText(record), times: [record.age, ...validityText(record)] };
  const [name = '', ...times] = oneLine(record.from)
    .replace(/^From /, '')
    .split(' · ');
  return { name, times };
}

/** Of a fact that is no longer true: `true until 2026-11-26`. */
export function validityText({ valid_until: until }: Pick<GetOutput, 'valid_until'>): string[] {
  return until === undefined ? [] : [trueUntil(until)];
}

/**
 * The text to print after "From": `vault notes`, `Google Tasks (external)`, `memory (mcp, agent)`. The trust is left out
 * if it is `operator`.
 */
export function originText({ origin, source, trust }: Provenance): string {
  const name = oneLine(source);
  const trustNote = trust === 'operator' ? [] : [trust];
  const inParentheses = (...notes: readonly string[]): string =>
    notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  switch (origin) {
    case 'vault':
      return (name === 'vault' ? 'vault' : `vault ${name}`) + inParentheses(...trustNote);
    case 'source':
      return name + inParentheses(...trustNote);
    case 'memory':
      return `memory${inParentheses(name, ...trustNote)}`;
    case 'fact':
      return `facts${inParentheses(name, ...trustNote)}`;
    case 'audit':
      return `the audit log${inParentheses(...trustNote)}`;
  }
}
