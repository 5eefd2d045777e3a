import type { JSX } from 'preact';
import './packs.css';
import { Chip } from '../../parts/chips.tsx';
import { call, type Output } from '../../api/client.ts';
import { useChanges } from '../../api/events.ts';
import { usePages } from '../../api/use-pages.ts';
import { Bar, Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Empty, Loaded, More } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link, navigate, type PageProps } from '../../router.tsx';
import { PACKS, RECEIPTS } from '../../text/pages/packs.ts';
import { counted, t } from '../../text/text.ts';
import { FILTERS, SHELL } from '../../text/shell.ts';
import { ReceiptPage } from './receipt.tsx';

type List = Output<'/api/v1/receipt/list'>;
type Summary = List['receipts'][number];

const KINDS = ['pack', 'recall', 'graph_index', 'graph_pack'] as const;
const PAGE_SIZE = 30;

/** What was given to agents: a list, or one receipt. */
export function ReceiptsPage({ rest, query }: PageProps): JSX.Element {
  if (rest !== '') return <ReceiptPage key={rest} id={rest} />;
  return <ReceiptList kind={KINDS.find((each) => each === query.get('kind'))} />;
}

function ReceiptList({ kind }: { readonly kind: Summary['kind'] | undefined }): JSX.Element {
  const list = usePages(
    (after: string | undefined, signal) =>
      call(
        '/api/v1/receipt/list',
        {
          limit: PAGE_SIZE,
          ...(kind !== undefined && { kind }),
          ...(after !== undefined && { after }),
        },
        { signal },
      ),
    ({ receipts: items, next }: List) => ({ items, next }),
    kind,
  );
  useChanges(({ kinds }) => {
    if (kinds.includes('receipts')) list.reload();
  });
  return (
    <Page title={t(SHELL.receipts)} about={t(RECEIPTS.about)} narrow>
      <div class="chips" role="group" aria-label={t(RECEIPTS.filter)}>
        {[undefined, ...KINDS].map((each) => (
          <Chip
            key={each}
            name={t(each === undefined ? FILTERS.any : RECEIPTS[`kind_${each}`])}
            isOn={each === kind}
            onClick={() => navigate(href('/receipts', { kind: each }))}
          />
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
              <ul class="receipts card">
                {list.items.map((receipt) => (
                  <ReceiptRow key={receipt.id} receipt={receipt} />
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

function ReceiptRow({ receipt }: { readonly receipt: Summary }): JSX.Element {
  const { id, kind, at, caller, failed_lanes: failed } = receipt;
  return (
    <li class="receipt">
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
      <Bar share={used / Math.max(1, budget)} />
      <span>{t(PACKS.tokensUsed, { used, budget })}</span>
    </div>
  );
}
