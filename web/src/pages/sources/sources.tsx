import type { JSX } from 'preact';
import './sources.css';
import { call } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { usePolling } from '../../api/use-polling.ts';
import { useRequest } from '../../api/use-request.ts';
import { AddFolder } from '../../parts/add-folder.tsx';
import { Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { TaskState, useTask } from '../../parts/task.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link, type PageProps } from '../../router.tsx';
import { SOURCES } from '../../text/pages/sources.ts';
import { counted, formatDuration, t } from '../../text/text.ts';
import { Condition, type SourceInfo, Sparkline } from './runs.tsx';
import { needsApproval, SourceActions } from './source-actions.tsx';
import { SHELL } from '../../text/shell.ts';
import { SourceDetail } from './source-detail.tsx';

export function SourcesPage({ rest }: PageProps): JSX.Element {
  const id = decodeURIComponent(rest);
  return id === '' ? <SourceList /> : <SourceDetail key={id} id={id} />;
}

function SourceList(): JSX.Element {
  const request = useRequest((signal) => call('/api/v1/memory/sources', {}, { signal }), null);
  usePolling(request.reload);
  return (
    <Page title={t(SHELL.sources)} about={t(SOURCES.about)}>
      <Loaded request={request}>
        {({ sources }) =>
          sources.length === 0 ? (
            <NoSources onAdded={request.reload} />
          ) : (
            <ul class="list">
              {sources.map((source) => (
                <SourceCard key={source.id} source={source} onChange={request.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function NoSources({ onAdded }: { readonly onAdded: () => void }): JSX.Element {
  if (session.namespace !== session.own)
    return (
      <Empty title={t(SOURCES.emptyTitle)}>
        <p>{t(SOURCES.emptyOther)}</p>
      </Empty>
    );
  return (
    <Empty title={t(SOURCES.emptyTitle)}>
      <p>{t(SOURCES.empty)}</p>
      <AddFolder onDone={onAdded} />
    </Empty>
  );
}

interface SourceCardProps {
  readonly source: SourceInfo;
  readonly onChange: () => void;
}

function SourceCard({ source, onChange }: SourceCardProps): JSX.Element {
  const { id, name, kind, documents, error } = source;
  const task = useTask();
  const path = href(`/sources/${encodeURIComponent(id)}`);
  return (
    <li class="source card">
      <div class="source-head">
        <h2>
          <Link to={path}>
            <PlainText text={name} />
          </Link>
        </h2>
        <Condition source={source} />
        <span class="quiet-text">{t(SOURCES[kind])}</span>
      </div>
      <div class="row source-buttons">
        {needsApproval(source) && (
          <Link class="button primary" to={path}>
            {t(SOURCES.review)}
          </Link>
        )}
        <SourceActions source={source} task={task} onChange={onChange} />
      </div>
      <p class="row separated quiet-text source-facts">
        <span>{counted(kind === 'vault' ? SOURCES.notes : SOURCES.documents, documents)}</span>
        {source.last_refresh !== null && (
          <span>
            {t(SOURCES.read)} <Time iso={source.last_refresh} />
          </span>
        )}
        {source.took_ms !== null && <span>{t(SOURCES.took, { time: formatDuration(source.took_ms) })}</span>}
        {source.next_refresh !== null && Date.parse(source.next_refresh) > Date.now() && (
          <span>
            {t(SOURCES.next)} <Time iso={source.next_refresh} />
          </span>
        )}
        <span>{counted(SOURCES.hits, source.hits)}</span>
        {source.total_failures > 0 && <span>{counted(SOURCES.failures, source.total_failures)}</span>}
      </p>
      <Sparkline runs={source.recent_runs ?? []} />
      {error !== null && (
        <p class="source-error">
          <PlainText text={error} />
        </p>
      )}
      <TaskState task={task} />
    </li>
  );
}
