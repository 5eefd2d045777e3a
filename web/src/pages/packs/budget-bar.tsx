import type { JSX } from 'preact';
import { PACKS } from '../../text/pages/packs.ts';
import { t } from '../../text/text.ts';
import { type ShownReceipt, TONES } from './pack-view.tsx';
import { titleOf } from './record-names.ts';

interface BudgetBarProps {
  readonly shown: ShownReceipt;
  /** The record that is looked at. */
  readonly current: string | null;
}

/** The budget of a text, with a part for each record, as long as its share of the tokens. */
export function BudgetBar({ shown, current }: BudgetBarProps): JSX.Element {
  const { budget, bytes, pieces } = shown.receipt;
  const records = [...new Set(pieces.map(({ record }) => record))];
  // A receipt counts the tokens of the whole text: those of a part are its share of the bytes.
  const tokensOf = (length: number): number => (bytes === 0 ? 0 : (budget.used * length) / bytes);
  const parts = records.map((record, i) => {
    const own = pieces.filter((piece) => piece.record === record);
    const start = Math.min(...own.map(({ pack }) => pack.start));
    const end = Math.max(...own.map(({ pack }) => pack.end));
    return { record, tone: (i % TONES) + 1, title: titleOf(shown, record), tokens: tokensOf(end - start) };
  });
  const frame = Math.max(0, budget.used - parts.reduce((sum, { tokens }) => sum + tokens, 0));
  const width = (tokens: number) => ({ width: `${String((100 * tokens) / Math.max(1, budget.tokens))}%` });
  const used = t(PACKS.tokensUsed, { used: budget.used, budget: budget.tokens });
  return (
    <figure class="budget">
      <div class="budget-bar" role="img" aria-label={`${t(PACKS.budgetBar)}: ${used}`}>
        {parts.map(({ record, tone, title, tokens }) => (
          <span
            key={record}
            class={`part tone-${String(tone)}${record === current ? ' current' : ''}`}
            style={width(tokens)}
            title={t(PACKS.tokensOf, { title, n: Math.round(tokens) })}
          />
        ))}
        <span
          class="part frame"
          style={width(frame)}
          title={t(PACKS.tokensOf, { title: t(PACKS.frame), n: Math.round(frame) })}
        />
      </div>
      <figcaption class="quiet-text">{used}</figcaption>
    </figure>
  );
}
