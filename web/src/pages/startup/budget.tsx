import type { JSX } from 'preact';
import { STARTUP } from '../../text/pages/startup.ts';
import { t } from '../../text/text.ts';
import type { Preview } from './changes.ts';

const TONES = 8;

/** The colour of a part, which its entry has too. */
export function toneOf(index: number): string {
  return `tone-${String((index % TONES) + 1)}`;
}

interface BudgetProps {
  readonly shown: Preview;
  /** Whether an entry is in it that is not saved. */
  readonly unsaved: boolean;
}

/** The budget in characters, with a part for each entry. */
export function Budget({ shown, unsaved }: BudgetProps): JSX.Element {
  const { characters: used, budget, included } = shown;
  const text = t(unsaved ? STARTUP.usedUnsaved : STARTUP.used, { used, budget });
  return (
    <figure class="tight">
      <div class="budget-bar" role="img" aria-label={`${t(STARTUP.budget)}: ${text}`}>
        {included.map(({ key, agent, characters, cut_from: cutFrom }, i) => (
          <span
            key={`${agent ?? ''}/${key}`}
            class={`part current ${toneOf(i)}${cutFrom === null ? '' : ' cut'}`}
            style={{ width: `${String((100 * characters) / Math.max(1, budget))}%` }}
            title={t(STARTUP.part, { key, n: characters })}
          />
        ))}
      </div>
      <figcaption class="quiet-text" aria-live="polite">
        {text}
      </figcaption>
    </figure>
  );
}
