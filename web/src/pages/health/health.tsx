import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import './health.css';
import { call } from '../../api/client.ts';
import { callWithProgress, type Progress } from '../../api/progress.ts';
import { usePolling } from '../../api/use-polling.ts';
import { useRequest } from '../../api/use-request.ts';
import { Page, Section } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded, Skeleton } from '../../parts/states.tsx';
import { href, Link, type PageProps } from '../../router.tsx';
import { AUDIT } from '../../text/pages/audit.ts';
import { HEALTH } from '../../text/pages/health.ts';
import { TASK } from '../../text/shell.ts';
import { t } from '../../text/text.ts';
import { Findings } from './findings.tsx';
import { EmbeddingState, Holds } from './memory.tsx';
import { OverTime } from './over-time.tsx';
import { Log } from './log.tsx';
import { LOG } from './log-filters.tsx';
import { ActionButton } from './repairs.tsx';

/** How the memory is, and at `/health/log` what changed in it. */
export function HealthPage({ rest, query }: PageProps): JSX.Element {
  if (rest !== 'log') return <State />;
  return (
    <Page
      title={t(AUDIT.title)}
      narrow
      actions={
        <Link class="button" to={href('/health')}>
          {t(HEALTH.title)}
        </Link>
      }
    >
      <Log query={query} />
    </Page>
  );
}

/** What is wrong and what to do, what the memory holds, and how it grew. */
function State(): JSX.Element {
  const [progress, setProgress] = useState<Progress | null>(null);
  const checks = useRequest(
    (signal) => callWithProgress('/api/v1/doctor', {}, { signal, onProgress: setProgress }),
    null,
  );
  const status = useRequest((signal) => call('/api/v1/status', {}, { signal }), null);
  usePolling(status.reload);
  const reload = (): void => {
    checks.reload();
    status.reload();
  };
  return (
    <Page
      title={t(HEALTH.title)}
      about={t(HEALTH.about)}
      actions={
        <>
          <Link class="button" to={href(LOG)}>
            {t(AUDIT.title)}
          </Link>
          <button type="button" class="button" disabled={checks.loading} onClick={reload}>
            {t(HEALTH.again)}
          </button>
        </>
      }
    >
      <Section title={t(HEALTH.findings)}>
        <div class={checks.loading ? 'stack stale' : 'stack'}>
          {checks.loading && (
            <p class="quiet-text" role="status">
              {progress === null ? t(HEALTH.checking) : t(TASK[progress.stage])}{' '}
              <PlainText text={progress?.subject ?? ''} />
            </p>
          )}
          <Loaded request={checks} loading={<Skeleton lines={3} />}>
            {({ checks: found }) => <Findings checks={found} onDone={reload} />}
          </Loaded>
        </div>
      </Section>
      <Loaded request={status}>
        {(found) => (
          <div class="two-columns">
            <Holds status={found} />
            <EmbeddingState embedding={found.embedding} onDone={reload} />
          </div>
        )}
      </Loaded>
      <Section title={t(HEALTH.overTime)}>
        <OverTime />
      </Section>
      <Section title={t(HEALTH.care)}>
        <ActionButton name="reindex" path="/api/v1/reindex" input={{}} onDone={reload} />
        <ActionButton
          name="reindexVectors"
          path="/api/v1/reindex"
          input={{ vectors: true }}
          onDone={reload}
          ask={{ title: t(HEALTH.reindexVectorsTitle), button: t(HEALTH.start) }}
        />
      </Section>
    </Page>
  );
}
