import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import './packs.css';
import { call, type Output } from '../../api/client.ts';
import { useKeys } from '../../parts/keys.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { attempt, notify } from '../../parts/toasts.tsx';
import { PACKS } from '../../text/pages/packs.ts';
import { t } from '../../text/text.ts';
import { BudgetBar } from './budget-bar.tsx';
import { LeftOut } from './left-out.tsx';
import { SourcePanel } from './source-panel.tsx';

export type ShownReceipt = Output<'/api/v1/receipt/show'>;
export type Verdict = NonNullable<ShownReceipt['receipt']['candidates'][number]['verdict']>;

/** A part of the text: what one record says, or what Loci wrote around it. */
export interface Block {
  /** UUID; `null` for the frame. */
  readonly record: string | null;
  readonly text: string;
}

interface PackViewProps {
  readonly blocks: readonly Block[];
  readonly shown: ShownReceipt;
  /** The query, where it is known. */
  readonly query?: string;
  readonly title: string;
  /** The whole text, if it is known. */
  readonly text?: string;
  readonly note?: string;
}

/** How long the pointer rests on a part before it is chosen, so that it can cross others on its way. In milliseconds. */
const REST_MS = 120;

/** A text that an agent gets, with the source of each part, the budget, and what is not in it. */
export function PackView({ blocks, shown, query, title, text: whole, note }: PackViewProps): JSX.Element {
  const records = blocks.flatMap(({ record }) => record ?? []);
  const [current, setCurrent] = useState(records[0] ?? null);
  const verdicts = useVerdicts(shown, query);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const step = (by: number): void => {
    const next = records[records.indexOf(current ?? '') + by];
    if (next !== undefined) document.querySelector<HTMLElement>(`[data-source="${next}"]`)?.focus();
  };
  useKeys([
    { key: 'j', does: t(PACKS.keyNextSource), run: () => step(1) },
    { key: 'k', does: t(PACKS.keyPreviousSource), run: () => step(-1) },
  ]);
  return (
    <div class="pack">
      <BudgetBar shown={shown} current={current} />
      <div class="pack-columns">
        <section class="given card" aria-label={title}>
          <header class="given-head">
            <h2>{title}</h2>
            {whole !== undefined && 'clipboard' in navigator && (
              <button
                type="button"
                class="button quiet small"
                onClick={() => {
                  void navigator.clipboard.writeText(whole).then(() => notify(t(PACKS.copied)));
                }}
              >
                {t(PACKS.copy)}
              </button>
            )}
          </header>
          {note !== undefined && <p class="quiet-text given-note">{note}</p>}
          <ol class="given-text">
            {blocks.map(({ record, text }, i) =>
              record === null ? (
                <li key={i} class="frame">
                  <PlainText text={text} />
                </li>
              ) : (
                <li
                  key={i}
                  class={`block tone-${String((records.indexOf(record) % TONES) + 1)}`}
                  data-source={record}
                  aria-current={record === current}
                  tabIndex={0}
                  onFocus={() => setCurrent(record)}
                  onPointerEnter={() => {
                    timer.current = window.setTimeout(() => setCurrent(record), REST_MS);
                  }}
                  onPointerLeave={() => clearTimeout(timer.current)}
                >
                  <PlainText text={text} />
                </li>
              ),
            )}
          </ol>
        </section>
        {current !== null && <SourcePanel record={current} shown={shown} {...verdicts} />}
      </div>
      <LeftOut shown={shown} />
    </div>
  );
}

/** How many colours tell the parts of a text apart. */
export const TONES = 8;

interface Verdicts {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly mark: (record: string, verdict: Verdict) => void;
}

/** What the reader says about the records of a receipt. */
function useVerdicts({ receipt }: ShownReceipt, query: string | undefined): Verdicts {
  const [verdicts, setVerdicts] = useState<ReadonlyMap<string, Verdict>>(new Map());
  useEffect(() => {
    const marked = receipt.candidates.flatMap(({ record, verdict }) =>
      verdict === undefined ? [] : ([[record, verdict]] as const),
    );
    setVerdicts(new Map(marked));
  }, [receipt]);
  const mark = async (record: string, verdict: Verdict): Promise<void> => {
    const before = verdicts.get(record);
    await call('/api/v1/receipt/mark', {
      ...{ id: receipt.id, item: record, verdict },
      ...(query !== undefined && { query }),
    });
    setVerdicts((all) => new Map([...all, [record, verdict]]));
    const undo = before === undefined || before === verdict ? undefined : () => mark(record, before);
    notify(t(verdict === 'useful' ? PACKS.marked : PACKS.markedNot), undo);
  };
  return { verdicts, mark: (record, verdict) => attempt(mark(record, verdict)) };
}
