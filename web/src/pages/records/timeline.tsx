import type { JSX } from 'preact';
import './timeline.css';
import { call } from '../../api/client.ts';
import { useRequest } from '../../api/use-request.ts';
import { Filters, selectionOf, TimeSpan } from '../../parts/filters.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded, More } from '../../parts/states.tsx';
import { href, Link } from '../../router.tsx';
import { RECORDS } from '../../text/pages/records.ts';
import { counted, dayOf, formatDay, t } from '../../text/text.ts';
import { changeQuery, type Row, useTable } from './requests.ts';
import { NoRecords } from './no-records.tsx';
import { FILTERS } from '../../text/shell.ts';
import { Histogram } from './histogram.tsx';

/** The address of the timeline. */
export const TIMELINE = '/records/timeline';

/** What was remembered when: a histogram in which a time can be chosen, and the records of that time. */
export function Timeline({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const selection = selectionOf(query);
  const { from: _from, until: _until, ...ofAnyTime } = selection;
  const counts = useRequest((signal) => call('/api/v1/record/histogram', ofAnyTime, { signal }), ofAnyTime);
  const list = useTable({ ...selection, sort: 'time', order: 'descending' });
  const brush = (from: string, until: string): void => changeQuery(query, { from, until });
  return (
    <>
      <p class="quiet-text">{t(RECORDS.timelineAbout)}</p>
      {counts.data !== undefined && counts.data.total > 0 && (
        <Histogram
          counts={counts.data}
          from={query.get('from') ?? ''}
          until={query.get('until') ?? ''}
          onBrush={brush}
        />
      )}
      {counts.data !== undefined && counts.data.undated > 0 && (
        <p class="quiet-text">{counted(RECORDS.undated, counts.data.undated)}</p>
      )}
      <div class="range" role="group" aria-label={t(FILTERS.time)}>
        <TimeSpan
          from={query.get('from') ?? ''}
          until={query.get('until') ?? ''}
          onChange={(days) => changeQuery(query, days)}
        />
      </div>
      <Filters path={TIMELINE} query={query} counted={selection} />
      <Loaded request={list}>
        {({ total }) =>
          total === 0 ? (
            <NoRecords path={TIMELINE} filtered={Object.keys(selection).length > 0} />
          ) : (
            <>
              <p class="quiet-text" role="status">
                {counted(RECORDS.total, total)}
              </p>
              <Days rows={list.items} />
              <More list={list} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** The records of each day, the last day first. */
function Days({ rows }: { readonly rows: readonly Row[] }): JSX.Element {
  const days = Map.groupBy(rows, ({ time }) => (time === null ? null : dayOf(new Date(time))));
  return (
    <div class="days">
      {[...days].map(([day, records]) => (
        <section key={day}>
          <h2>{day === null ? t(RECORDS.undatedNotes) : formatDay(records[0]!.time!)}</h2>
          <ul>
            {records.map(({ id, title, source, tags }) => (
              <li key={id}>
                <Link to={href(`/record/${String(id)}`)}>
                  <PlainText text={title} />
                </Link>
                <span class="quiet-text">
                  <PlainText text={[source, ...tags.map((tag) => `#${tag}`)].join(' · ')} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
