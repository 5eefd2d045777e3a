import type { JSX } from 'preact';
import { PlainText } from '../../parts/plain-text.tsx';
import { Time } from '../../parts/time.tsx';
import { CONCEPTS } from '../../text/pages/concepts.ts';
import { t } from '../../text/text.ts';
import { type Change, undoChange } from './concept-changes.ts';

interface ChangeListProps {
  readonly changes: readonly Change[];
}

/** What was changed about concepts, and by whom. Each change can be undone. */
export function ChangeList({ changes }: ChangeListProps): JSX.Element {
  return (
    <ul class="concepts card">
      {changes.map((change) => {
        const { id, kind, what, at, actor, surface, undone_by: undoneBy, no_effect: noEffect } = change;
        return (
          <li key={id} class="concept-change">
            <div>
              <p>
                {t(CONCEPTS[`did_${kind}`])}: <PlainText text={what} />
              </p>
              <p class="row separated quiet-text">
                <Time iso={at} />
                <span>
                  <PlainText text={`${actor} (${surface})`} />
                </span>
                {undoneBy !== null && <span class="label">{t(CONCEPTS.undone)}</span>}
                {noEffect !== null && (
                  <span class="label warn" title={noEffect}>
                    {t(CONCEPTS.noEffect)}
                  </span>
                )}
              </p>
            </div>
            {undoneBy === null && (
              <button
                type="button"
                class="button quiet small"
                aria-label={t(CONCEPTS.undoOf, { what })}
                onClick={() => undoChange(change)}
              >
                {t(CONCEPTS.undo)}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
