import type { JSX } from 'preact';
import { Chip } from '../../parts/chips.tsx';
import { useEffect, useRef, useState } from 'preact/hooks';
import './packs.css';
import { call } from '../../api/client.ts';
import { useKeys } from '../../parts/keys.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { attempt, notify } from '../../parts/toasts.tsx';
import { PACKS } from '../../text/pages/packs.ts';
import { t, counted, formatDuration, formatNumber } from '../../text/text.ts';
import {
  type ShownReceipt,
  TONES,
  type Verdict,
  titleOf,
  nameOf,
  percent,
  reasonText,
  linesText,
} from './record-names.ts';
import { href, Link } from '../../router.tsx';
import { SHELL } from '../../text/shell.ts';

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
                {t(SHELL.copy)}
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

interface BudgetBarProps {
  readonly shown: ShownReceipt;
  /** The record that is looked at. */
  readonly current: string | null;
}

/** The budget of a text, with a part for each record, as long as its share of the tokens. */
function BudgetBar({ shown, current }: BudgetBarProps): JSX.Element {
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
    <figure class="tight">
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

type Candidate = ShownReceipt['receipt']['candidates'][number];
type Lane = ShownReceipt['receipt']['lanes'][number];

/** What was considered and is not in the text, by reason, and where was looked. */
export function LeftOut({ shown }: { readonly shown: ShownReceipt }): JSX.Element {
  const { candidates, lanes } = shown.receipt;
  const groups = Map.groupBy(
    candidates.filter(({ reason }) => reason !== null),
    ({ reason }) => reason!,
  );
  return (
    <section class="stack">
      <h2>{t(PACKS.leftOut)}</h2>
      {groups.size === 0 && <p class="quiet-text">{t(PACKS.leftOutNone)}</p>}
      {[...groups].map(([reason, left]) => (
        <details key={reason} class="card group" open={groups.size === 1 && left.length <= PAGE}>
          <summary>
            {reasonText(reason)} <span class="quiet-text">{formatNumber(left.length)}</span>
          </summary>
          <Records shown={shown} candidates={left} />
        </details>
      ))}
      <p class="row separated quiet-text">
        <span>{t(PACKS.searched)}</span>
        {lanes.map((lane) => (
          <LaneText key={lane.name} lane={lane} />
        ))}
      </p>
    </section>
  );
}

const PAGE = 10;

function Records({
  shown,
  candidates,
}: {
  readonly shown: ShownReceipt;
  readonly candidates: readonly Candidate[];
}): JSX.Element {
  const [count, setCount] = useState(PAGE);
  return (
    <>
      <ul class="left-out">
        {candidates.slice(0, count).map(({ record, score, path }) => {
          const name = nameOf(shown, record);
          return (
            <li key={record} class="row">
              {name === undefined ? (
                <span>{t(PACKS.deletedRecord)}</span>
              ) : (
                <Link to={href(`/record/${String(name.id)}`)}>
                  <PlainText text={name.title} />
                </Link>
              )}
              {name !== undefined && (
                <span class="quiet-text citation">
                  <PlainText text={name.citation} />
                </span>
              )}
              {path !== null && (
                <Link to={href('/graph', { receipt: shown.receipt.id, item: record })}>{t(PACKS.path)}</Link>
              )}
              <span class="quiet-text number">{percent(score)}</span>
            </li>
          );
        })}
      </ul>
      {candidates.length > count && (
        <button type="button" class="button small" onClick={() => setCount(count + PAGE)}>
          {t(SHELL.more)}
        </button>
      )}
    </>
  );
}

function LaneText({ lane }: { readonly lane: Lane }): JSX.Element {
  const { name, status, candidates, took_ms: took } = lane;
  const known = `lane_${name}`;
  const title = known in PACKS ? t(PACKS[known as 'lane_search']) : name;
  if (status === 'off')
    return (
      <span>
        {title}: {t(PACKS.laneOff)}
      </span>
    );
  const failure = {
    late: PACKS.laneLate,
    failed: PACKS.laneFailed,
    partial: PACKS.lanePartial,
    answered: null,
  };
  const said = failure[status];
  return (
    <span>
      {title}: {counted(PACKS.laneFound, candidates)}, {formatDuration(took)}{' '}
      {said !== null && (
        <span class="label warn">
          {t(said)}
          {lane.failure !== null && ` (${lane.failure})`}
        </span>
      )}
    </span>
  );
}

const LANES = {
  search: PACKS.viaSearch,
  related: PACKS.viaRelated,
  embeds: PACKS.viaEmbeds,
  graph: PACKS.viaGraph,
} as const;

interface SourcePanelProps {
  /** UUID. */
  readonly record: string;
  readonly shown: ShownReceipt;
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly mark: (record: string, verdict: Verdict) => void;
}

/** Where a part of a text is from, why it is there, and whether it was useful. */
function SourcePanel({ record, shown, verdicts, mark }: SourcePanelProps): JSX.Element {
  const { receipt } = shown;
  const name = nameOf(shown, record);
  const candidate = receipt.candidates.find((each) => each.record === record);
  const pieces = receipt.pieces.filter((piece) => piece.record === record && piece.field === 'content');
  const level = pieces.find((piece) => piece.level !== 'L0')?.level ?? pieces[0]?.level;
  const from = Math.min(...pieces.map(({ lines }) => lines.from));
  const to = Math.max(...pieces.map(({ lines }) => lines.to));
  const lane = candidate?.lane ?? '';
  return (
    <aside class="source card" aria-label={t(PACKS.source)}>
      <p class="quiet-text">{t(PACKS.source)}</p>
      <h3>
        {name === undefined ? (
          t(PACKS.deletedRecord)
        ) : (
          <Link to={href(`/record/${String(name.id)}`)}>
            <PlainText text={name.title} />
          </Link>
        )}
      </h3>
      <ul class="source-facts">
        {name !== undefined && (
          <li class="citation">
            <PlainText text={name.citation} />
          </li>
        )}
        {pieces.length > 0 && (
          <li>
            {linesText({ from, to })}
            {level !== undefined && `, ${t(PACKS[`level_${level}`])}`}
          </li>
        )}
        {candidate !== undefined && (
          <li>
            {lane in LANES ? t(LANES[lane as keyof typeof LANES]) : t(PACKS.viaOther, { lane })},{' '}
            {t(PACKS.confidence, { percent: percent(candidate.score) })}
          </li>
        )}
        {(candidate?.path ?? null) !== null && (
          <li>
            <Link to={href('/graph', { receipt: receipt.id, item: record })}>{t(PACKS.path)}</Link>
          </li>
        )}
      </ul>
      <div class="row">
        {(['useful', 'not-useful'] as const).map((verdict) => (
          <Chip
            key={verdict}
            name={t(verdict === 'useful' ? PACKS.useful : PACKS.notUseful)}
            isOn={verdicts.get(record) === verdict}
            onClick={() => mark(record, verdict)}
          />
        ))}
      </div>
      <p class="quiet-text wide-only">{t(PACKS.markHint)}</p>
      <p class="quiet-text wide-only">{t(PACKS.sourceHint)}</p>
    </aside>
  );
}
