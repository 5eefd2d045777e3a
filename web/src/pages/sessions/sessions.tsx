import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import './sessions.css';
import { call, type Output } from '../../api/client.ts';
import { session, sessionLost } from '../../api/session.ts';
import { useRequest } from '../../api/use-request.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded } from '../../parts/states.tsx';
import { TaskState, useTask } from '../../parts/task.tsx';
import { Time } from '../../parts/time.tsx';
import { notify } from '../../parts/toasts.tsx';
import { SESSIONS } from '../../text/pages/sessions.ts';
import { SHELL } from '../../text/shell.ts';
import { counted, t } from '../../text/text.ts';

type Token = Output<'/api/v1/token/list'>['tokens'][number];

/** Who has access: the sessions of this page, and the tokens of programs. */
export function SessionsPage(): JSX.Element {
  const request = useRequest((signal) => call('/api/v1/token/list', {}, { signal }), null);
  return (
    <Page title={t(SHELL.sessions)} about={t(SESSIONS.about)} narrow>
      <Loaded request={request}>
        {({ tokens }) => {
          // The ones that were made last come first.
          const of = (kind: Token['kind']): Token[] => tokens.filter((each) => each.kind === kind).reverse();
          return (
            <>
              <Section title={t(SESSIONS.sessions)}>
                <p class="quiet-text">{t(SESSIONS.sessionsAbout)}</p>
                <List tokens={of('page_session')} onChange={request.reload} />
              </Section>
              <Section title={t(SESSIONS.tokens)}>
                <p class="quiet-text">{t(SESSIONS.tokensAbout)}</p>
                <code class="command">loci serve token create --subject NAME</code>
                <p>
                  <a href="/api/v1/openapi.json">{t(SESSIONS.docs)}</a>
                </p>
                <List tokens={of('token')} onChange={request.reload} />
              </Section>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

interface ListProps {
  readonly tokens: readonly Token[];
  readonly onChange: () => void;
}

function isActive({ revoked_at: revoked, expires_at: expires }: Token): boolean {
  return revoked === null && (expires === null || Date.parse(expires) > Date.now());
}

/** Those that give access, and on demand those that did. */
function List({ tokens, onChange }: ListProps): JSX.Element {
  const [active, past] = [tokens.filter(isActive), tokens.filter((token) => !isActive(token))];
  if (tokens.length === 0) return <p>{t(SESSIONS.noTokens)}</p>;
  return (
    <>
      {active.length > 0 && (
        <ul class="access-list card">
          {active.map((token) => (
            <Row key={token.id} token={token} onChange={onChange} />
          ))}
        </ul>
      )}
      {past.length > 0 && (
        <details>
          <summary>{counted(SESSIONS.past, past.length)}</summary>
          <ul class="access-list card">
            {past.map((token) => (
              <Row key={token.id} token={token} onChange={onChange} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Row({ token, onChange }: { readonly token: Token } & Pick<ListProps, 'onChange'>): JSX.Element {
  const { id, kind, name } = token;
  const isSession = kind === 'page_session';
  return (
    <li>
      <div>
        <p class="row">
          <strong>
            <PlainText text={isSession ? t(SESSIONS.openedBy, { who: name }) : name} />
          </strong>
          {id === session.id && <span class="label accent">{t(SESSIONS.thisBrowser)}</span>}
          {!isActive(token) && (
            <span class="label">{t(token.revoked_at === null ? SESSIONS.expired : SESSIONS.wasRevoked)}</span>
          )}
        </p>
        <Facts token={token} />
      </div>
      {isActive(token) && <Revoke token={token} onChange={onChange} />}
    </li>
  );
}

function Facts({ token }: { readonly token: Token }): JSX.Element {
  // Each scope includes those before it.
  const { id, kind, subject, scopes, created_at: created, expires_at: expires, used_at: used } = token;
  return (
    <p class="row separated quiet-text">
      <span>
        <PlainText text={t(SESSIONS.memory, { name: subject })} />
      </span>
      {kind === 'token' && <span>{t(SESSIONS[scopes.at(-1) ?? 'read'])}</span>}
      <span>
        {t(SESSIONS.created)} <Time iso={created} />
      </span>
      {id === session.id && <span>{t(SESSIONS.inUse)}</span>}
      {used !== null && id !== session.id && (
        <span>
          {t(SESSIONS.used)} <Time iso={used} />
        </span>
      )}
      {isActive(token) && (
        <span>
          {expires === null ? (
            t(SESSIONS.never)
          ) : (
            <>
              {t(SESSIONS.ends)} <Time iso={expires} />
            </>
          )}
        </span>
      )}
    </p>
  );
}

/** Asks before it ends the access of a program, or that of this browser. */
function Revoke({ token, onChange }: { readonly token: Token } & Pick<ListProps, 'onChange'>): JSX.Element {
  const { id, kind, name } = token;
  const [isAsking, setAsking] = useState(false);
  const task = useTask();
  const isSession = kind === 'page_session';
  const isOwn = id === session.id;
  const revoke = (): void =>
    task.start(async ({ signal }) => {
      await call('/api/v1/token/revoke', { token: id }, { signal });
      if (isOwn) {
        sessionLost();
        return;
      }
      setAsking(false);
      notify(isSession ? t(SESSIONS.ended) : t(SESSIONS.revoked, { name }));
      onChange();
    });
  return (
    <div>
      <button
        type="button"
        class="button small"
        disabled={task.isRunning}
        onClick={() => (isSession && !isOwn ? revoke() : setAsking(true))}
      >
        {t(isSession ? SESSIONS.end : SESSIONS.revoke)}
      </button>
      {!isAsking && <TaskState task={task} />}
      {isAsking && (
        <Confirm
          title={isSession ? t(SESSIONS.endTitle) : t(SESSIONS.revokeTitle, { name })}
          text={t(isSession ? SESSIONS.endAbout : SESSIONS.revokeAbout)}
          button={t(isSession ? SESSIONS.end : SESSIONS.revokeNow)}
          isDangerous
          task={task}
          onConfirm={revoke}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
