import type { JSX } from 'preact';
import { SelectField } from '../../parts/form.tsx';
import { useState } from 'preact/hooks';
import './startup.css';
import { type Draft, type Entry, useStartupChanges } from './changes.ts';
import { call, type Output } from '../../api/client.ts';
import { useChanges } from '../../api/events.ts';
import { useRequest } from '../../api/use-request.ts';
import { Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { href, navigate, type PageProps } from '../../router.tsx';
import { STARTUP } from '../../text/pages/startup.ts';
import { t } from '../../text/text.ts';
import { Budget } from './budget.tsx';
import { EntryForm } from './entry-form.tsx';
import { SHELL } from '../../text/shell.ts';
import { EntryList } from './entry-list.tsx';

/** How long to wait after a key before the budget is computed again, in milliseconds. */
const TYPING_MS = 120;

/** The startup text as a model and an agent get it. Which ones is in the address. */
export function StartupPage({ query }: PageProps): JSX.Element {
  const [model, agent] = [query.get('model') ?? '', query.get('agent') ?? ''];
  const [draft, setDraft] = useState<Draft>();
  const [adding, setAdding] = useState(false);
  const list = useRequest((signal) => call('/api/v1/startup/list', {}, { signal }), null);
  const asked = {
    ...(model !== '' && { model }),
    ...(agent !== '' && { agent }),
    ...(draft !== undefined && { draft }),
  };
  const preview = useRequest(
    (signal) => call('/api/v1/startup/preview', asked, { signal }),
    asked,
    draft === undefined ? 0 : TYPING_MS,
  );
  const reload = (): void => {
    list.reload();
    preview.reload();
  };
  useChanges(({ kinds }) => {
    if (kinds.includes('startup')) reload();
  });
  const changes = useStartupChanges(reload);
  const close = (): void => {
    setDraft(undefined);
    setAdding(false);
  };
  return (
    <Page
      title={t(SHELL.startup)}
      about={t(STARTUP.about)}
      narrow
      actions={
        !adding && (
          <button type="button" class="button primary" onClick={() => setAdding(true)}>
            {t(STARTUP.add)}
          </button>
        )
      }
    >
      <Loaded request={list}>
        {({ entries, budgets }) => (
          <>
            {adding && (
              <EntryForm
                agent={agent}
                onDraft={setDraft}
                onSave={async (entry) => {
                  await changes.add(entry);
                  close();
                }}
                onCancel={close}
              />
            )}
            {(entries.length > 0 || adding) && (
              <>
                <Choice model={model} agent={agent} entries={entries} budgets={budgets} />
                {/* What is written may be refused, which the form says when it is saved. */}
                <Loaded request={draft === undefined ? preview : { ...preview, error: undefined }}>
                  {(shown) => <Budget shown={shown} unsaved={draft !== undefined} />}
                </Loaded>
              </>
            )}
            {entries.length === 0 && !adding && (
              <Empty title={t(STARTUP.emptyTitle)}>
                <p>{t(STARTUP.empty)}</p>
              </Empty>
            )}
            {entries.length > 0 && (
              <EntryList
                entries={entries}
                agent={agent}
                preview={preview.data}
                changes={changes}
                onDraft={setDraft}
              />
            )}
            {preview.data !== undefined && entries.length > 0 && (
              <details class="card as-model">
                <summary>{t(STARTUP.asModel)}</summary>
                {preview.data.text === '' ? (
                  <p class="quiet-text">{t(STARTUP.noText)}</p>
                ) : (
                  <pre>
                    <PlainText text={preview.data.text} />
                  </pre>
                )}
              </details>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface ChoiceProps {
  readonly model: string;
  readonly agent: string;
  readonly entries: readonly Entry[];
  readonly budgets: Output<'/api/v1/startup/list'>['budgets'];
}

/** Which model and which agent get the text. */
function Choice({ model, agent, entries, budgets }: ChoiceProps): JSX.Element {
  const agents = [...new Set([agent, ...entries.map((entry) => entry.agent ?? '')])].filter(Boolean).sort();
  const models = [...new Set([model, ...budgets.map((each) => each.model ?? '')])].filter(Boolean);
  const choose = (next: { model?: string; agent?: string }): void =>
    navigate(href('/startup', { model, agent, ...next }), { replace: true });
  return (
    <div class="row startup-choice">
      <SelectField
        label={t(STARTUP.model)}
        value={model}
        options={[
          ['', t(models.length === 0 ? STARTUP.anyModel : STARTUP.otherModels)],
          ...models.map((name) => [name, t(STARTUP.modelsWith, { name })] as const),
        ]}
        onChange={(value) => choose({ model: value })}
      />
      <SelectField
        label={t(STARTUP.agent)}
        value={agent}
        options={[['', t(STARTUP.everyAgent)], ...agents.map((name) => [name, name] as const)]}
        onChange={(value) => choose({ agent: value })}
      />
    </div>
  );
}
