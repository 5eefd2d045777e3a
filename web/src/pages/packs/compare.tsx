import type { JSX } from 'preact';
import { call, type Output } from '../../api/client.ts';
import { useRequest } from '../../api/use-request.ts';
import { Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link } from '../../router.tsx';
import { PACKS, RECEIPTS } from '../../text/pages/packs.ts';
import { counted, t, type Text } from '../../text/text.ts';
import { reasonText } from './record-names.ts';

type Diff = Output<'/api/v1/receipt/diff'>;
type Item = Pick<Diff['moved'][number], 'record' | 'id' | 'title' | 'citation'>;

/** A reason within a sentence. */
function within(reason: NonNullable<Diff['left'][number]['reason']>): string {
  const text = reasonText(reason);
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** What a later text has instead of an earlier one. */
export function ComparePage(given: { readonly before: string; readonly after: string }): JSX.Element {
  const request = useRequest((signal) => call('/api/v1/receipt/diff', { ...given }, { signal }), given);
  return (
    <Page
      title={t(RECEIPTS.comparison)}
      narrow
      actions={
        <Link class="button" to={href('/receipts')}>
          {t(RECEIPTS.back)}
        </Link>
      }
    >
      <Loaded request={request}>{(diff) => <Comparison {...diff} />}</Loaded>
    </Page>
  );
}

function Comparison({
  before,
  after,
  same_query,
  same_text,
  came_in,
  left,
  moved,
  stayed,
}: Diff): JSX.Element {
  const largest = Math.max(before.budget, after.budget, 1);
  return (
    <div class="stack">
      <div class="compared">
        <Side title={RECEIPTS.before} side={before} largest={largest} />
        <Side title={RECEIPTS.after} side={after} largest={largest} />
      </div>
      {!same_query && <p class="label warn">{t(RECEIPTS.otherQuery)}</p>}
      {same_text && <p>{t(RECEIPTS.sameText)}</p>}
      <Changes
        title={RECEIPTS.cameIn}
        items={came_in}
        detail={({ place, reason }) =>
          `${t(RECEIPTS.atPlace, { n: place })}, ${
            reason === null ? t(RECEIPTS.notFoundBefore) : t(RECEIPTS.outBefore, { reason: within(reason) })
          }`
        }
      />
      <Changes
        title={RECEIPTS.left}
        items={left}
        detail={({ place, reason }) =>
          `${t(RECEIPTS.atPlace, { n: place })}, ${
            reason === null ? t(RECEIPTS.notFoundNow) : t(RECEIPTS.outNow, { reason: within(reason) })
          }`
        }
      />
      <Changes
        title={RECEIPTS.moved}
        items={moved}
        detail={({ before: from, after: to }) => t(RECEIPTS.movedFrom, { before: from, after: to })}
      />
      <p class="quiet-text">{counted(RECEIPTS.stayed, stayed)}</p>
    </div>
  );
}

interface SideProps {
  readonly title: Text;
  readonly side: Diff['before'];
  /** The larger of the two budgets. */
  readonly largest: number;
}

function Side({ title, side, largest }: SideProps): JSX.Element {
  const share = (tokens: number) => ({ width: `${String((100 * tokens) / largest)}%` });
  return (
    <section class="card side">
      <h2>
        {t(title)}: <Link to={href(`/receipts/${side.id}`)}>{t(RECEIPTS[`one_${side.kind}`])}</Link>
      </h2>
      <p class="quiet-text">
        <Time iso={side.at} />
      </p>
      <div style={share(side.budget)}>
        <span class="bar" aria-hidden="true">
          <span style={{ width: `${String((100 * side.used_tokens) / Math.max(1, side.budget))}%` }} />
        </span>
      </div>
      <p class="quiet-text">{t(PACKS.tokensUsed, { used: side.used_tokens, budget: side.budget })}</p>
    </section>
  );
}

interface ChangesProps<Changed extends Item> {
  readonly title: Text;
  readonly items: readonly Changed[];
  readonly detail: (item: Changed) => string;
}

function Changes<Changed extends Item>({ title, items, detail }: ChangesProps<Changed>): JSX.Element | null {
  if (items.length === 0) return null;
  return (
    <section>
      <h2 class="changes-title">{t(title)}</h2>
      <ul class="receipts card">
        {items.map((item) => (
          <li key={item.record} class="change">
            {item.title === null ? (
              t(PACKS.deletedRecord)
            ) : (
              <Link to={href(`/record/${String(item.id)}`)}>
                <PlainText text={item.title} />
              </Link>
            )}
            <span class="quiet-text">{detail(item)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
