import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { PlainText } from '../../parts/plain-text.tsx';
import { href, Link } from '../../router.tsx';
import { PACKS } from '../../text/pages/packs.ts';
import { SHELL } from '../../text/shell.ts';
import { counted, formatDuration, formatNumber, t } from '../../text/text.ts';
import type { ShownReceipt } from './pack-view.tsx';
import { nameOf, percent, reasonText } from './record-names.ts';

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
