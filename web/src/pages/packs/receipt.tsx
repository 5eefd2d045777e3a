import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/client.ts';
import { useRequest } from '../../api/use-request.ts';
import { Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded } from '../../parts/states.tsx';
import { href, Link } from '../../router.tsx';
import { PACKS, RECEIPTS } from '../../text/pages/packs.ts';
import { counted, formatMoment, t } from '../../text/text.ts';
import { type Block, PackView } from './pack-view.tsx';
import { type ShownReceipt, titleOf } from './record-names.ts';

/** One receipt, with the text as far as the records still have it. */
export function ReceiptPage({ id }: { readonly id: string }): JSX.Element {
  const request = useRequest((signal) => call('/api/v1/receipt/show', { id, texts: true }, { signal }), id);
  const [verifying, setVerifying] = useState(false);
  const receipt = request.data?.receipt;
  const query = receipt?.query;
  const title = receipt === undefined ? t(PACKS.receipt) : t(RECEIPTS[`one_${receipt.kind}`]);
  return (
    <Page
      title={title}
      about={receipt !== undefined && <About receipt={receipt} query={query} />}
      actions={
        <>
          <Link class="button" to={href('/receipts')}>
            {t(RECEIPTS.back)}
          </Link>
          <button type="button" class="button" disabled={verifying} onClick={() => setVerifying(true)}>
            {t(RECEIPTS.verify)}
          </button>
        </>
      }
    >
      {verifying && request.data !== undefined && <Verified shown={request.data} />}
      <Loaded request={request}>
        {(shown) => (
          <PackView
            blocks={blocksOf(shown)}
            shown={shown}
            title={t(RECEIPTS.given)}
            note={t(PACKS.rebuilt)}
            {...(query !== undefined && { query })}
          />
        )}
      </Loaded>
    </Page>
  );
}

interface AboutProps {
  readonly receipt: ShownReceipt['receipt'];
  readonly query: string | undefined;
}

function About({ receipt, query }: AboutProps): JSX.Element {
  const { at, caller, project } = receipt;
  return (
    <span class="row separated">
      <span>{query === undefined ? t(RECEIPTS.queryUnknown) : <PlainText text={`“${query}”`} />}</span>
      <time dateTime={at}>{formatMoment(at)}</time>
      {caller !== undefined && (
        <span>
          <PlainText text={t(RECEIPTS.to, { client: `${caller.actor} (${caller.surface})` })} />
        </span>
      )}
      {project !== null && (
        <span>
          <PlainText text={project} />
        </span>
      )}
    </span>
  );
}

/** The pieces of each record, in the order of the text. */
function blocksOf({ receipt, texts }: ShownReceipt): Block[] {
  const blocks: { record: string; text: string }[] = [];
  for (const [i, { record, field }] of receipt.pieces.entries()) {
    const text = texts?.[i] ?? t(PACKS.changedSince);
    const last = blocks.at(-1);
    // Where pieces do not touch, the model had other words between them.
    if (last?.record === record) last.text += `\n${field === 'title' ? '' : '⋯\n'}${text}`;
    else blocks.push({ record, text });
  }
  return blocks;
}

type State = Output<'/api/v1/receipt/verify'>['receipts'][number]['pieces'][number]['state'];
const STATES: readonly State[] = ['changed', 'moved', 'deleted', 'purged'];

/** What became of the lines of a receipt. */
function Verified({ shown }: { readonly shown: ShownReceipt }): JSX.Element {
  const { id } = shown.receipt;
  const request = useRequest((signal) => call('/api/v1/receipt/verify', { id }, { signal }), id);
  return (
    <section class="card verified" role="status">
      <h2>{t(RECEIPTS.verified)}</h2>
      <Loaded request={request}>
        {({ receipts }) => {
          const pieces = receipts[0]?.pieces ?? [];
          const changed = [...Map.groupBy(pieces, ({ record }) => record)].filter(([, own]) =>
            own.some(({ state }) => state !== 'same'),
          );
          if (changed.length === 0) return <p>{t(RECEIPTS.verifiedSame)}</p>;
          return (
            <ul class="tight">
              {changed.map(([record, own]) => (
                <li key={record} class="row">
                  <PlainText text={titleOf(shown, record)} />
                  {STATES.map((state) => {
                    const count = own.filter((piece) => piece.state === state).length;
                    return (
                      count > 0 && (
                        <span key={state} class={state === 'moved' ? 'label' : 'label warn'}>
                          {counted(RECEIPTS[`state_${state}`], count)}
                        </span>
                      )
                    );
                  })}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}
