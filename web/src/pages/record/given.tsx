import type { JSX } from 'preact';
import { call, type Output } from '../../api/client.ts';
import { useRequest } from '../../api/use-request.ts';
import { Loaded, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link } from '../../router.tsx';
import { RECORD } from '../../text/pages/record.ts';
import { counted, t } from '../../text/text.ts';
import type { ShownRecord } from './markdown-view.tsx';

type Receipts = Output<'/api/v1/receipt/list'>;
type Receipt = Receipts['receipts'][number];

const MAX_RECEIPTS = 500;
const SHOWN = 5;
const WEEK_MS = 7 * 86_400_000;

/** In which texts for agents the record was: "in 14 prompts this week". */
export function Given({ record }: { readonly record: ShownRecord }): JSX.Element {
  const { id } = record;
  const request = useRequest(
    (signal) => call('/api/v1/receipt/list', { record: id, limit: MAX_RECEIPTS }, { signal }),
    id,
  );
  return (
    <section class="record-part">
      <h2>{t(RECORD.given)}</h2>
      <Loaded request={request} loading={<Skeleton lines={2} />}>
        {(found) => <Uses found={found} />}
      </Loaded>
    </section>
  );
}

function Uses({ found: { receipts, next } }: { readonly found: Receipts }): JSX.Element {
  const since = Date.now() - WEEK_MS;
  const included = receipts.filter(({ record }) => record?.included === true);
  const recent = included.filter(({ at }) => Date.parse(at) >= since);
  const prompts = recent.filter(({ kind }) => kind === 'recall').length;
  const texts = recent.length - prompts;
  const leftOut = receipts.length - included.length;
  if (receipts.length === 0) return <p class="quiet-text">{t(RECORD.neverGiven)}</p>;
  return (
    <>
      <p>
        {[
          ...(recent.length === 0 ? [t(RECORD.notThisWeek)] : []),
          ...(prompts > 0 ? [counted(RECORD.prompts, prompts)] : []),
          ...(texts > 0 ? [counted(RECORD.packs, texts)] : []),
        ].join(' · ')}
        {next !== null && ` · ${t(RECORD.onlyNewest, { n: MAX_RECEIPTS })}`}
      </p>
      <ul class="uses">
        {included.slice(0, SHOWN).map((receipt) => (
          <Use key={receipt.id} receipt={receipt} />
        ))}
      </ul>
      {leftOut > 0 && <p class="quiet-text">{counted(RECORD.leftOut, leftOut)}</p>}
    </>
  );
}

function Use({ receipt: { id, kind, at } }: { readonly receipt: Receipt }): JSX.Element {
  return (
    <li>
      <Link to={href(`/receipts/${id}`)}>{t(kind === 'recall' ? RECORD.prompt : RECORD.pack)}</Link>{' '}
      <span class="quiet-text">
        <Time iso={at} />
      </span>
    </li>
  );
}
