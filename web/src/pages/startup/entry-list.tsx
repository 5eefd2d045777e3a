import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Folded, PlainText } from '../../parts/plain-text.tsx';
import { STARTUP } from '../../text/pages/startup.ts';
import { counted, t } from '../../text/text.ts';
import { nameOf, type StartupChanges, type Draft, type Entry, type Preview } from './changes.ts';
import { toneOf } from './budget.tsx';
import { DIFF, SHELL } from '../../text/shell.ts';
import { EntryForm } from './entry-form.tsx';

interface EntryListProps {
  /** Of all agents, in the order of the text. */
  readonly entries: readonly Entry[];
  readonly agent: string;
  readonly preview: Preview | undefined;
  readonly changes: StartupChanges;
  readonly onDraft: (draft: Draft | undefined) => void;
}

/** The entries by priority. They are moved by dragging, or by the arrows beside them. */
export function EntryList({ entries, agent, ...rest }: EntryListProps): JSX.Element {
  const [dragged, setDragged] = useState<Entry>();
  const [editing, setEditing] = useState<string>();
  const isShown = (entry: Entry): boolean => entry.agent === null || entry.agent === agent;
  const shown = entries.filter(isShown);
  const others = entries.filter((entry) => !isShown(entry));
  const { changes } = rest;
  const ofPriority = (priority: number): Entry[] => entries.filter((each) => each.priority === priority);
  const place = (entry: Entry): number => ofPriority(entry.priority).indexOf(entry) + 1;
  /** Puts an entry before or after another one, with its priority. */
  const put = (entry: Entry, target: Entry, after: boolean): void => {
    const group = ofPriority(target.priority).filter((each) => each !== entry);
    changes.move(entry, target.priority, group.indexOf(target) + (after ? 2 : 1), place(entry));
  };
  /** One step up or down: past the neighbour of the same priority, or else into the next priority. */
  const step = (entry: Entry, down: boolean): void => {
    const neighbour = shown[shown.indexOf(entry) + (down ? 1 : -1)];
    if (neighbour === undefined) return;
    put(entry, neighbour, down === (neighbour.priority === entry.priority));
  };
  const item = (entry: Entry): JSX.Element => (
    <EntryItem
      key={nameText(entry)}
      entry={entry}
      {...rest}
      editing={editing === nameText(entry)}
      onEdit={(on) => {
        setEditing(on ? nameText(entry) : undefined);
        rest.onDraft(undefined);
      }}
      isFirst={entry === shown[0]}
      isLast={entry === shown.at(-1)}
      onStep={(down) => step(entry, down)}
      onDrag={setDragged}
      onDrop={(after) => {
        if (dragged !== undefined && dragged !== entry) put(dragged, entry, after);
        setDragged(undefined);
      }}
    />
  );
  return (
    <div class="stack">
      {[...Map.groupBy(shown, ({ priority }) => priority)].map(([priority, group]) => (
        <section key={priority} class="priority-group tight">
          <h2>{priority === 0 ? t(STARTUP.priorityFirst) : t(STARTUP.priority, { n: priority })}</h2>
          <ol>{group.map(item)}</ol>
        </section>
      ))}
      {others.length > 0 && (
        <section class="priority-group tight">
          <h2>{t(STARTUP.others)}</h2>
          <ul class="others">
            {others.map((entry) => (
              <li key={nameText(entry)} class="row">
                <PlainText text={entry.key} />
                <span class="label">
                  <PlainText text={t(STARTUP.onlyAgent, { agent: entry.agent ?? '' })} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function nameText({ key, agent }: Pick<Entry, 'key' | 'agent'>): string {
  return JSON.stringify([agent, key]);
}

interface EntryItemProps extends Omit<EntryListProps, 'entries' | 'agent'> {
  readonly entry: Entry;
  readonly editing: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onEdit: (on: boolean) => void;
  readonly onStep: (down: boolean) => void;
  readonly onDrag: (entry: Entry | undefined) => void;
  /** Another entry is dropped on this one. @param after in its lower half */
  readonly onDrop: (after: boolean) => void;
}

function EntryItem(props: EntryItemProps): JSX.Element {
  const { entry, editing, preview, changes, onDraft, onEdit, onDrag, onDrop } = props;
  const [over, setOver] = useState<'before' | 'after'>();
  const half = (event: DragEvent): 'before' | 'after' => {
    const { top, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return event.clientY > top + height / 2 ? 'after' : 'before';
  };
  return (
    <li
      class={`entry card${over === undefined ? '' : ` drop-${over}`}`}
      draggable={!editing}
      data-entry={entry.key}
      onDragStart={(event) => {
        // Firefox drags nothing without data.
        event.dataTransfer?.setData('text/plain', entry.key);
        onDrag(entry);
      }}
      onDragEnd={() => onDrag(undefined)}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(half(event));
      }}
      onDragLeave={() => setOver(undefined)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(undefined);
        onDrop(half(event) === 'after');
      }}
    >
      <EntryHead {...props} />
      {editing ? (
        <EntryForm
          entry={entry}
          onDraft={onDraft}
          onSave={async (fields) => {
            await changes.edit(entry, { ...fields, ...nameOf(entry) });
            onEdit(false);
          }}
          onCancel={() => onEdit(false)}
        />
      ) : (
        <Folded text={entry.content} />
      )}
      <EntryState entry={entry} preview={preview} />
    </li>
  );
}

function EntryHead({
  entry,
  editing,
  isFirst,
  isLast,
  changes,
  onEdit,
  onStep,
}: EntryItemProps): JSX.Element {
  const { key, agent, reinforce } = entry;
  return (
    <div class="entry-head">
      <span class="handle" title={t(STARTUP.drag)} aria-hidden="true">
        ⠿
      </span>
      <h3>
        <PlainText text={key} />
      </h3>
      {agent !== null && (
        <span class="label accent">
          <PlainText text={t(STARTUP.onlyAgent, { agent })} />
        </span>
      )}
      {reinforce && (
        <span class="label" title={t(STARTUP.reinforce)}>
          {t(STARTUP.reinforced)}
        </span>
      )}
      <div class="entry-actions">
        <button
          type="button"
          class="button quiet small"
          disabled={isFirst}
          aria-label={t(STARTUP.up, { key })}
          onClick={() => onStep(false)}
        >
          ↑
        </button>
        <button
          type="button"
          class="button quiet small"
          disabled={isLast}
          aria-label={t(STARTUP.down, { key })}
          onClick={() => onStep(true)}
        >
          ↓
        </button>
        <button
          type="button"
          class="button quiet small"
          aria-label={t(SHELL.editKey, { key })}
          aria-expanded={editing}
          onClick={() => onEdit(!editing)}
        >
          {t(SHELL.edit)}
        </button>
        <button
          type="button"
          class="button quiet small danger"
          aria-label={t(STARTUP.removeKey, { key })}
          onClick={() => changes.remove(entry)}
        >
          {t(STARTUP.remove)}
        </button>
      </div>
    </div>
  );
}

/** Whether the agent gets all of the entry, and why not. */
function EntryState({ entry, preview }: Pick<EntryItemProps, 'entry' | 'preview'>): JSX.Element | null {
  const isIt = (each: Pick<Entry, 'key' | 'agent'>): boolean => nameText(each) === nameText(entry);
  const included = preview?.included.find(isIt);
  const leftOut = preview?.left_out.find(isIt);
  if (leftOut !== undefined)
    return (
      <p class="row quiet-text">
        <span class="label warn">{t(STARTUP.leftOut)}</span>
        <PlainText text={leftOut.why} />
      </p>
    );
  if (included === undefined) return null;
  const { characters, cut_from: all } = included;
  return (
    <p class="row quiet-text">
      <span class={`dot ${toneOf(preview!.included.indexOf(included))}`} aria-hidden="true" />
      {all === null ? (
        counted(DIFF.characters, characters)
      ) : (
        <span class="label warn">{t(STARTUP.cut, { n: characters, all })}</span>
      )}
    </p>
  );
}
