import type { JSX } from 'preact';
import { Bar } from '../../parts/page.tsx';
import { call, type Output } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { useRequest } from '../../api/use-request.ts';
import { PlainText } from '../../parts/plain-text.tsx';
import { Time } from '../../parts/time.tsx';
import { attempt } from '../../parts/toasts.tsx';
import { href, Link, navigate } from '../../router.tsx';
import { RECORD } from '../../text/pages/record.ts';
import { SEARCH } from '../../text/pages/search.ts';
import { language, t } from '../../text/text.ts';

type Found = Output<'/api/v1/memory/search'>;
export type Result = Found['results'][number] | Found['related'][number];

const PERCENT = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });

const MAX_TITLE = 80;

interface ResultCardProps {
  readonly result: Result;
  readonly explained: boolean;
  readonly onExplain: () => void;
}

/** A result: where it is, its passage with the matched words, and why it was found. */
export function ResultCard({ result, explained, onExplain }: ResultCardProps): JSX.Element {
  const { id, title, headings, snippet, highlights, score, citation, created_at: at } = result;
  const path = href('/record', { citation });
  const open = (): void => navigate(path);
  return (
    <li
      class="result card"
      data-result={id}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) open();
      }}
      onClick={(event) => {
        const isText = (getSelection()?.toString() ?? '') !== '';
        if (
          !isText &&
          event.target instanceof Element &&
          event.target.closest('a, button, .explanation') === null
        )
          open();
      }}
    >
      <div class="result-head">
        <h3>
          <Link to={path} tabIndex={-1}>
            <PlainText
              text={[titleOf(result), ...headings.filter((heading) => heading !== title)].join(' › ')}
            />
          </Link>
        </h3>
        <span class="score" title={t(SEARCH.chance, { percent: PERCENT.format(score) })}>
          <span class="visually-hidden">{t(SEARCH.chance, { percent: PERCENT.format(score) })}</span>
          <span aria-hidden="true">{PERCENT.format(score)}</span>
        </span>
      </div>
      <p class="snippet">
        <PlainText text={snippet} highlights={highlights} compact />
      </p>
      {result.second !== undefined && (
        <p class="snippet quiet-text">
          <Link to={href('/record', { citation: result.second.citation })} tabIndex={-1}>
            {t(SEARCH.second)}
          </Link>{' '}
          <PlainText text={result.second.text} />
        </p>
      )}
      <p class="row separated quiet-text">
        <span class="citation">
          <PlainText text={result.from ?? citation} />
        </span>
        {result.from === null && <Time iso={at} age={result.age} />}
        {result.trust !== 'operator' && <span>{t(SEARCH.writtenBy, { who: t(SEARCH[result.trust]) })}</span>}
        {result.tags.length > 0 && (
          <span>
            <PlainText text={result.tags.map((tag) => `#${tag}`).join(' ')} />
          </span>
        )}
        <button type="button" class="why" aria-expanded={explained} onClick={onExplain}>
          {t(SEARCH.why)}
        </button>
        {result.origin === 'vault' && session.isOnMachine && <OpenInObsidian result={result} />}
      </p>
      <Times result={result} />
      <Connections result={result} />
      {explained && <Explanation result={result} />}
    </li>
  );
}

/** A document of a source may have no title: then it is called by its first words. */
function titleOf({ title, snippet }: Result): string {
  if (title !== '') return title;
  const [line = ''] = snippet.split('\n');
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE)}…` : line;
}

/** Source → whether its notes are in a vault of Obsidian. */
const areInObsidian = new Map<string, Promise<boolean>>();

function OpenInObsidian({ result: { id, source } }: { readonly result: Result }): JSX.Element | null {
  const address = async (): Promise<string | null> =>
    (await call('/api/v1/record/show', { citation: `record/${String(id)}` })).obsidian;
  const { data: isOffered } = useRequest(() => {
    const asked = areInObsidian.get(source) ?? address().then((url) => url !== null);
    areInObsidian.set(source, asked);
    return asked;
  }, source);
  if (isOffered !== true) return null;
  const open = async (): Promise<void> => {
    const url = await address();
    if (url !== null) location.assign(url);
  };
  return (
    <button type="button" class="why" onClick={() => attempt(open())}>
      {t(RECORD.openInObsidian)}
    </button>
  );
}

const DAY = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });

/** That a later result says the same, and on which other days it was said. */
function Times({ result: { later, also } }: { readonly result: Result }): JSX.Element | null {
  const dayOf = ({ date }: { readonly date: string }): string => DAY.format(new Date(date));
  if (later === undefined && also === undefined) return null;
  return (
    <p class="quiet-text">
      {later !== undefined && (
        <>
          {t(SEARCH.earlier)} <Link to={href(`/record/${String(later.id)}`)}>{later.citation}</Link> (
          {dayOf(later)}){' '}
        </>
      )}
      {also !== undefined && t(SEARCH.also, { days: also.map(dayOf).join(', ') })}
    </p>
  );
}

/** What else leads to the result: the note it belongs to, and a link with words of the query. */
function Connections({ result }: { readonly result: Result }): JSX.Element | null {
  const { linked_as: linkedAs } = result;
  const belongsTo = 'belongs_to' in result ? result.belongs_to : undefined;
  if (linkedAs === undefined && belongsTo === undefined) return null;
  return (
    <p class="quiet-text">
      {belongsTo !== undefined && (
        <>
          {t(SEARCH.belongsTo)}{' '}
          <Link to={href(`/record/${String(belongsTo.id)}`)}>{belongsTo.title}</Link>{' '}
        </>
      )}
      {linkedAs !== undefined && t(SEARCH.linkedAs, linkedAs)}
    </p>
  );
}

/** A bar for each signal, as long as what it added to the ranking score, and the boosts in words. */
function Explanation({ result }: { readonly result: Result }): JSX.Element | null {
  const { explanation } = result;
  if (explanation === undefined) return null;
  const largest = Math.max(...explanation.signals.map(({ added }) => added), Number.EPSILON);
  return (
    <div class="explanation">
      <h4>{t(SEARCH.whyTitle)}</h4>
      <dl>
        {explanation.signals.map(({ signal, rank, added }) => (
          <div key={signal} class="signal">
            <dt>{t(SEARCH[signal])}</dt>
            <dd>
              <Bar class={signal} share={added / largest} />
              <span class="number">
                #{rank} · {added.toFixed(4)}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      {explanation.boosts.length > 0 && (
        <p class="quiet-text">
          {t(SEARCH.boosts)}:{' '}
          {explanation.boosts
            .map(({ name, added }) => `${name} ${added >= 0 ? '+' : '−'}${Math.abs(added).toFixed(4)}`)
            .join(', ')}
        </p>
      )}
    </div>
  );
}
