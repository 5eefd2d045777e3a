import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/client.ts';
import { asApiError, useRequest } from '../../api/use-request.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { notify } from '../../parts/toasts.tsx';
import { href, Link } from '../../router.tsx';
import { CONCEPTS } from '../../text/pages/concepts.ts';
import { t } from '../../text/text.ts';
import { ChangeList } from './change-list.tsx';
import { conceptsChanged, undoChange, useConceptChanges } from './concept-changes.ts';
import type { Concept } from './concepts.tsx';
import { Confirm, Preview } from './merge-dialog.tsx';

type Shown = Output<'/api/v1/concept/show'>;

/** One concept: its names, its notes, where it is named, and what was changed about it. */
export function ConceptPage({ id }: { readonly id: string }): JSX.Element {
  const request = useRequest((signal) => call('/api/v1/concept/show', { concept: id }, { signal }), id);
  useConceptChanges(request.reload);
  const [renaming, setRenaming] = useState(false);
  const concept = request.data?.concept;
  return (
    <Page
      title={concept?.label ?? t(CONCEPTS.title)}
      about={concept !== undefined && <PlainText text={concept.project} />}
      narrow
      actions={
        <>
          <Link class="button" to={href('/concepts')}>
            {t(CONCEPTS.back)}
          </Link>
          {concept !== undefined && (
            <button
              type="button"
              class="button"
              aria-expanded={renaming}
              onClick={() => setRenaming(!renaming)}
            >
              {t(CONCEPTS.rename)}
            </button>
          )}
        </>
      }
    >
      <Loaded request={request}>
        {(shown) => (
          <div class="stack concept-parts">
            {renaming && <Rename concept={shown.concept} onDone={() => setRenaming(false)} />}
            <Names concept={shown.concept} />
            {shown.disputed.length > 0 && (
              <Section title={t(CONCEPTS.disputed)}>
                <p class="row">
                  {shown.disputed.map((name) => (
                    <span key={name} class="label warn">
                      <PlainText text={name} />
                    </span>
                  ))}
                  <Link to={href('/concepts', { view: 'conflicts' })}>{t(CONCEPTS.toConflicts)}</Link>
                </p>
              </Section>
            )}
            {shown.notes.length > 0 && <Records title={t(CONCEPTS.itsNotes)} records={shown.notes} />}
            {shown.mentioned_in.length > 0 ? (
              <Records title={t(CONCEPTS.namedIn)} records={shown.mentioned_in} />
            ) : (
              <p class="quiet-text">{t(CONCEPTS.noMentions)}</p>
            )}
            {shown.changes.length > 0 && (
              <Section title={t(CONCEPTS.changes)}>
                <ChangeList changes={shown.changes} />
              </Section>
            )}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface RenameProps {
  readonly concept: Concept;
  readonly onDone: () => void;
}

function Rename({ concept, onDone }: RenameProps): JSX.Element {
  const [label, setLabel] = useState(concept.label);
  const [error, setError] = useState('');
  return (
    <form
      class="card stack rename"
      onSubmit={(event) => {
        event.preventDefault();
        call('/api/v1/concept/rename', { concept: concept.id, label, project: concept.project }).then(
          ({ change }) => {
            notify(t(CONCEPTS.renamed, { label }), () => undoChange(change));
            onDone();
            conceptsChanged();
          },
          (failure: unknown) => setError(asApiError(failure).message),
        );
      }}
    >
      <label class="field">
        {t(CONCEPTS.newName)}
        <input
          class="input"
          value={label}
          required
          ref={(input) => {
            if (input !== null && document.activeElement === document.body) input.focus();
          }}
          onInput={({ currentTarget }) => setLabel(currentTarget.value)}
        />
      </label>
      <p class="quiet-text">{t(CONCEPTS.renameHint)}</p>
      {error !== '' && (
        <p class="form-error" role="alert">
          {error}
        </p>
      )}
      <div>
        <button type="submit" class="button primary">
          {t(CONCEPTS.save)}
        </button>
      </div>
    </form>
  );
}

interface NamesProps {
  readonly concept: Concept;
}

/** The names, of which some can be chosen and made a concept of their own. */
function Names({ concept }: NamesProps): JSX.Element {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [splitting, setSplitting] = useState(false);
  const toggle = (name: string): void =>
    setChosen((all) => (all.includes(name) ? all.filter((each) => each !== name) : [...all, name]));
  const canSplit = concept.names.length + concept.notes.length > 1;
  return (
    <Section title={t(CONCEPTS.names)}>
      <ul class="names">
        {concept.names.map(({ name, kind }) => (
          <li key={`${kind}/${name}`}>
            <label class="choice">
              {canSplit && (
                <input
                  type="checkbox"
                  checked={chosen.includes(name)}
                  aria-label={t(CONCEPTS.chooseName, { name })}
                  onChange={() => toggle(name)}
                />
              )}
              <PlainText text={name} />
              <span class="label">{t(CONCEPTS[`kind_${kind}`])}</span>
            </label>
          </li>
        ))}
      </ul>
      {canSplit && (
        <p class="row">
          {chosen.length === 0 ? (
            <span class="quiet-text">{t(CONCEPTS.splitHint)}</span>
          ) : (
            <button type="button" class="button small" onClick={() => setSplitting(true)}>
              {t(CONCEPTS.split)}
            </button>
          )}
        </p>
      )}
      {splitting && (
        <SplitDialog
          concept={concept}
          names={chosen}
          onClose={() => setSplitting(false)}
          onSplit={() => setChosen([])}
        />
      )}
    </Section>
  );
}

interface SplitDialogProps {
  readonly concept: Concept;
  readonly names: readonly string[];
  readonly onClose: () => void;
  readonly onSplit: () => void;
}

function SplitDialog({ concept, names, onClose, onSplit }: SplitDialogProps): JSX.Element {
  const request = { concept: concept.id, names: [...names], project: concept.project };
  const preview = useRequest(
    (signal) => call('/api/v1/concept/split', { ...request, preview: true }, { signal }),
    request,
  );
  return (
    <Dialog title={t(CONCEPTS.splitTitle)} onClose={onClose}>
      <Preview request={preview} />
      <Confirm
        text={t(CONCEPTS.doSplit)}
        disabled={preview.data === undefined || preview.error !== undefined}
        onClose={onClose}
        change={() => call('/api/v1/concept/split', request)}
        onDone={({ change }) => {
          notify(t(CONCEPTS.splitDone, { names: names.join(', ') }), () => undoChange(change));
          onSplit();
        }}
      />
    </Dialog>
  );
}

interface RecordsProps {
  readonly title: string;
  readonly records: Shown['notes'];
}

function Records({ title, records }: RecordsProps): JSX.Element {
  return (
    <Section title={title}>
      <ul class="records">
        {records.map(({ id, title: name, citation }) => (
          <li key={id} class="row">
            <Link to={href(`/record/${String(id)}`)}>
              <PlainText text={name} />
            </Link>
            {citation !== name && (
              <span class="quiet-text citation">
                <PlainText text={citation} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
