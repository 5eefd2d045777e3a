import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/client.ts';
import { asApiError, type RequestState, useRequest } from '../../api/use-request.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded } from '../../parts/states.tsx';
import { notify } from '../../parts/toasts.tsx';
import { CONCEPTS } from '../../text/pages/concepts.ts';
import { counted, t } from '../../text/text.ts';
import { conceptsChanged, undoChange } from './concept-changes.ts';
import { type Concept, OtherNames } from './concepts.tsx';

type Made = Output<'/api/v1/concept/merge'>;

interface MergeDialogProps {
  readonly concepts: readonly Pick<Concept, 'id' | 'label' | 'project'>[];
  readonly onClose: () => void;
  readonly onMerged?: () => void;
}

/** Makes several concepts one, and shows beforehand what it becomes. */
export function MergeDialog({ concepts, onClose, onMerged }: MergeDialogProps): JSX.Element {
  const [into, setInto] = useState(concepts[0]!.id);
  const request = {
    into,
    from: concepts.filter(({ id }) => id !== into).map(({ id }) => id),
    project: concepts[0]!.project,
  };
  const preview = useRequest(
    (signal) => call('/api/v1/concept/merge', { ...request, preview: true }, { signal }),
    request,
  );
  const label = concepts.find(({ id }) => id === into)?.label ?? '';
  return (
    <Dialog title={t(CONCEPTS.mergeTitle)} onClose={onClose}>
      <fieldset class="stays">
        <legend>{t(CONCEPTS.stays)}</legend>
        {concepts.map((concept) => (
          <label key={concept.id} class="choice">
            <input
              type="radio"
              name="stays"
              checked={concept.id === into}
              onChange={() => setInto(concept.id)}
            />
            <PlainText text={concept.label} />
          </label>
        ))}
      </fieldset>
      <Preview request={preview} />
      <Confirm
        text={t(CONCEPTS.doMerge)}
        disabled={preview.data === undefined || preview.error !== undefined}
        onClose={onClose}
        change={() => call('/api/v1/concept/merge', request)}
        onDone={({ change }) => {
          notify(t(CONCEPTS.merged, { label }), () => undoChange(change));
          onMerged?.();
        }}
      />
    </Dialog>
  );
}

/** What a change would make. */
export function Preview({ request }: { readonly request: RequestState<Made> }): JSX.Element {
  return (
    <section class="preview">
      <h3>{t(CONCEPTS.becomes)}</h3>
      <Loaded request={request}>
        {({ concepts }) => (
          <ul class="concepts card">
            {concepts.map((concept) => (
              <li key={concept.id} class="preview-concept">
                <strong>
                  <PlainText text={concept.label} />
                </strong>
                <p class="row separated quiet-text">
                  <span>
                    {concept.notes.length === 0
                      ? t(CONCEPTS.noNotes)
                      : counted(CONCEPTS.notes, concept.notes.length)}
                  </span>
                  <OtherNames concept={concept} />
                </p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

interface ConfirmProps {
  readonly text: string;
  readonly disabled: boolean;
  readonly change: () => Promise<Made>;
  readonly onDone: (made: Made) => void;
  readonly onClose: () => void;
}

export function Confirm({ text, disabled, change, onDone, onClose }: ConfirmProps): JSX.Element {
  const confirm = (): void => {
    change().then(
      (made) => {
        onClose();
        onDone(made);
        conceptsChanged();
      },
      (error: unknown) => notify(asApiError(error).message),
    );
  };
  return (
    <div class="row">
      <button type="button" class="button primary" disabled={disabled} onClick={confirm}>
        {text}
      </button>
      <button type="button" class="button quiet" onClick={onClose}>
        {t(CONCEPTS.cancel)}
      </button>
    </div>
  );
}
