import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import './packs.css';
import { call, type Output } from '../../api/client.ts';
import { useChanges } from '../../api/events.ts';
import { usePages } from '../../api/use-pages.ts';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link, navigate } from '../../router.tsx';
import { PACKS, RECEIPTS } from '../../text/pages/packs.ts';
import { counted, formatMoment, t } from '../../text/text.ts';
import type { PageProps } from '../pages.ts';
import { ComparePage } from './compare.tsx';
import { ReceiptPage } from './receipt.tsx';

type List = Output<'/api/v1/receipt/list'>;
type Summary = List['receipts'][number];

const KINDS = ['pack', 'recall', 'graph_index', 'graph_pack'] as const;
const PAGE_SIZE = 30;

/** What was given to agents: a list, one receipt, or two that are compared. */
export function ReceiptsPage({ rest, query }: PageProps): JSX.Element {
  const [before, after] = [query.get('before'), query.get('after')];
  if (rest !== '') return <ReceiptPage key={rest} id={rest} />;
  if (before !== null && after !== null) return <ComparePage before={before} after={after} />;
  return <ReceiptList kind={KINDS.find((each) => each === query.get('kind'))} />;
}

function ReceiptList({ kind }: { readonly kind: Summary['kind'] | undefined }): JSX.Element {
  const [chosen, setChosen] = useState<readonly Summary[]>([]);
  const list = usePages(
    (after: string | undefined, signal) =>
      call(
        '/api/v1/receipt/list',
        {
          limit: PAGE_SIZE,
          ...(kind !== undefined && { kind }),
          ...(after !== undefined && { after }),
        },
        signal === undefined ? {} : { signal },
      ),
    ({ receipts: items, next }: List) => ({ items, next }),
    kind,
  );
  useChanges(({ kinds }) => {
    if (kinds.includes('receipts')) list.reload();
  });
  const toggle = (receipt: Summary): void =>
    setChosen((all) =>
      all.some(({ id }) => id === receipt.id)
        ? all.filter(({ id }) => id !== receipt.id)
        : [...all.slice(-1), receipt],
    );
  return (
    <Page title={t(RECEIPTS.title)} about={t(RECEIPTS.about)} narrow>
      <div class="chips" role="group" aria-label={t(RECEIPTS.filter)}>
        {[undefined, ...KINDS].map((each) => (
          <button
            key={each}
            type="button"
            class="chip"
            aria-pressed={each === kind}
            onClick={() => navigate(href('/receipts', { kind: each }))}
          >
            {t(each === undefined ? RECEIPTS.all : RECEIPTS[`kind_${each}`])}
          </button>
        ))}
      </div>
      <Loaded request={list}>
        {({ receipts, unreadable }) =>
          receipts.length === 0 ? (
            <Empty title={t(RECEIPTS.emptyTitle)}>
              <p>{t(RECEIPTS.empty)}</p>
              <Link class="button" to={href('/packs')}>
                {t(RECEIPTS.toPacks)}
              </Link>
            </Empty>
          ) : (
            <>
              <Chosen chosen={chosen} onClear={() => setChosen([])} />
              <ul class="receipts card">
                {list.items.map((receipt) => (
                  <ReceiptRow
                    key={receipt.id}
                    receipt={receipt}
                    chosen={chosen.some(({ id }) => id === receipt.id)}
                    onToggle={() => toggle(receipt)}
                  />
                ))}
              </ul>
              {unreadable.length > 0 && (
                <p class="quiet-text">{counted(RECEIPTS.unreadable, unreadable.length)}</p>
              )}
              <More list={list} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

interface ChosenProps {
  readonly chosen: readonly Summary[];
  readonly onClear: () => void;
}

function Chosen({ chosen, onClear }: ChosenProps): JSX.Element {
  const [before, after] = chosen.toSorted((a, b) => (a.at < b.at ? -1 : 1));
  return (
    <div class="row chosen" role="status">
      <span class="quiet-text">
        {chosen.length === 0 ? t(RECEIPTS.compareHint) : t(RECEIPTS.chosen, { n: chosen.length })}
      </span>
      {before !== undefined && after !== undefined && (
        <button
          type="button"
          class="button primary small"
          onClick={() => navigate(href('/receipts', { before: before.id, after: after.id }))}
        >
          {t(RECEIPTS.compare)}
        </button>
      )}
      {chosen.length > 0 && (
        <button type="button" class="button quiet small" onClick={onClear}>
          {t(RECEIPTS.clear)}
        </button>
      )}
    </div>
  );
}

interface ReceiptRowProps {
  readonly receipt: Summary;
  readonly chosen: boolean;
  readonly onToggle: () => void;
}

function ReceiptRow({ receipt, chosen, onToggle }: ReceiptRowProps): JSX.Element {
  const { id, kind, at, caller, failed_lanes: failed } = receipt;
  return (
    <li class="receipt">
      <input
        type="checkbox"
        checked={chosen}
        aria-label={t(RECEIPTS.choose, { at: formatMoment(at) })}
        onChange={onToggle}
      />
      <div class="receipt-what">
        <h2>
          <Link to={href(`/receipts/${id}`)}>
            <ReceiptName receipt={receipt} />
          </Link>
        </h2>
        <p class="row separated quiet-text">
          <span>{t(RECEIPTS[`one_${kind}`])}</span>
          <Time iso={at} />
          {caller !== undefined && (
            <span>
              <PlainText text={t(RECEIPTS.to, { client: `${caller.actor} (${caller.surface})` })} />
            </span>
          )}
          {failed.length > 0 && (
            <span class="label warn">{t(RECEIPTS.failedLanes, { lanes: failed.join(', ') })}</span>
          )}
        </p>
      </div>
      <ReceiptNumbers {...receipt} />
    </li>
  );
}

/** The query, if it is known, else what the text begins with. */
function ReceiptName({ receipt }: { readonly receipt: Summary }): JSX.Element {
  const { query, titles, items } = receipt;
  const text =
    query ??
    (items === 0
      ? t(RECEIPTS.nothingGiven)
      : [
          ...(titles.length === 0 ? [t(PACKS.deletedRecord)] : titles),
          ...(items > titles.length ? ['…'] : []),
        ].join(', '));
  return <PlainText text={text} />;
}

function ReceiptNumbers({ items, candidates, used_tokens: used, budget }: Summary): JSX.Element {
  return (
    <div class="receipt-numbers quiet-text">
      <span>
        {counted(RECEIPTS.items, items)} {t(RECEIPTS.ofConsidered, { n: candidates })}
      </span>
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${String((100 * used) / Math.max(1, budget))}%` }} />
      </span>
      <span>{t(PACKS.tokensUsed, { used, budget })}</span>
    </div>
  );
}
