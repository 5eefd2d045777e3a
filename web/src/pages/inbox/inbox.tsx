import './inbox.css';
import type { JSX } from 'preact';
import { useState, useEffect, useRef } from 'preact/hooks';
import { call, type Output } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { EditForm, TextArea, TextField } from '../../parts/form.tsx';
import { useInboxChanges } from '../../parts/inbox-count.ts';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded, More } from '../../parts/states.tsx';
import { href, Link, type PageProps, navigate } from '../../router.tsx';
import { INBOX } from '../../text/pages/inbox.ts';
import { counted, t } from '../../text/text.ts';
import { type Change, type Group, inboxActions, type InboxActions, type Edited } from './actions.ts';
import { GroupCard, type ItemHandlers } from './group-card.tsx';
import { useRequest } from '../../api/use-request.ts';
import { SHELL } from '../../text/shell.ts';
import { useKeys } from '../../parts/keys.tsx';

type Inbox = Output<'/api/v1/inbox/list'>;

/** What agents did: all sessions at `/inbox`, one of them at `/inbox/GROUP`. */
export function InboxPage({ rest }: PageProps): JSX.Element {
  return rest === '' ? <AllGroups /> : <OneGroup key={rest} id={rest} />;
}

function AllGroups(): JSX.Element {
  const list = usePages<Inbox, Group, string>(
    (after, signal) => call('/api/v1/inbox/list', after === undefined ? {} : { after }, { signal }),
    ({ groups, next }) => ({ items: groups, next }),
    null,
  );
  useInboxChanges(list.reload);
  const [asking, setAsking] = useState(false);
  const actions = inboxActions(list.reload);
  const items = useItems(
    list.items.flatMap(({ changes }) => changes),
    actions,
  );
  const total = list.data?.total ?? 0;
  const last = Math.max(0, ...list.items.map((group) => group.last));
  return (
    <Page
      title={t(SHELL.inbox)}
      about={t(INBOX.about)}
      actions={
        total > 0 && (
          <button type="button" class="button" onClick={() => setAsking(true)}>
            {t(INBOX.keepEverything)}
          </button>
        )
      }
      narrow
    >
      <Loaded request={list}>
        {() =>
          list.items.length === 0 ? (
            <Empty title={t(INBOX.emptyTitle)}>
              <p>{t(INBOX.empty)}</p>
            </Empty>
          ) : (
            <div class="inbox stack">
              {list.items.map((group) => (
                <GroupOf
                  key={group.id}
                  group={group}
                  changes={group.changes}
                  items={items}
                  actions={actions}
                />
              ))}
              <More list={list} />
            </div>
          )
        }
      </Loaded>
      <Editor items={items} />
      {asking && (
        <Confirm
          title={counted(INBOX.keepQuestion, total)}
          text={t(INBOX.keepAbout)}
          button={t(INBOX.keepEverything)}
          onConfirm={() => {
            setAsking(false);
            void actions.keep({ all: true, up_to: last });
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </Page>
  );
}

/** Changes of a group that are read at once. */
const CHANGES_AT_ONCE = 50;

function OneGroup({ id }: { readonly id: string }): JSX.Element {
  const list = usePages<Inbox, Change, number>(
    (after, signal) =>
      call(
        '/api/v1/inbox/list',
        { group: id, changes: CHANGES_AT_ONCE, ...(after !== undefined && { after_change: after }) },
        { signal },
      ),
    ({ groups: [group] }) => ({ items: group?.changes ?? [], next: group?.next_change ?? null }),
    id,
  );
  useInboxChanges(list.reload);
  const actions = inboxActions(list.reload);
  const group = list.data?.groups[0];
  const items = useItems(group === undefined ? [] : list.items, actions);
  const back = (
    <Link class="button" to={href('/inbox')}>
      {t(INBOX.toInbox)}
    </Link>
  );
  return (
    <Page title={t(SHELL.inbox)} about={t(INBOX.about)} actions={back} narrow>
      <Loaded request={list}>
        {() =>
          group === undefined ? (
            <Empty title={t(INBOX.groupGone)}>{back}</Empty>
          ) : (
            <div class="inbox stack">
              <GroupOf group={group} changes={list.items} items={items} actions={actions} isAlone />
              <More list={list} />
            </div>
          )
        }
      </Loaded>
      <Editor items={items} />
    </Page>
  );
}

interface GroupOfProps {
  readonly group: Group;
  readonly changes: readonly Change[];
  readonly items: ItemState;
  readonly actions: InboxActions;
  /** Whether the page shows only this group, with a button for more of it. */
  readonly isAlone?: boolean;
}

function GroupOf({ group, changes, items, actions, isAlone = false }: GroupOfProps): JSX.Element {
  const chosen = { group: group.id, up_to: group.last };
  return (
    <GroupCard
      group={isAlone ? { ...group, next_change: null } : group}
      changes={changes}
      handlers={items}
      onKeepAll={() => void actions.keep(chosen)}
      onUndoAll={() => void actions.undo(chosen)}
    />
  );
}

function Editor({ items }: { readonly items: ItemState }): JSX.Element | null {
  if (items.editing === null) return null;
  const { item, problem } = items.editing;
  return <EditDialog item={item} problem={problem} onSave={items.save} onClose={items.closeEditor} />;
}

interface EditDialogProps {
  readonly item: Change;
  /** Why it could not be saved. */
  readonly problem: string | undefined;
  readonly onSave: (edited: Edited) => void;
  readonly onClose: () => void;
}

/** The whole text of a record, to write something else in its place. */
function EditDialog({ item, problem, onSave, onClose }: EditDialogProps): JSX.Element {
  const request = useRequest(async (signal): Promise<Edited> => {
    const citation = `record/${String(item.record)}`;
    const record = await call('/api/v1/memory/get', { citation }, { signal });
    return { title: record.title, text: record.text, tags: record.tags, replaces: record.updated_at };
  }, item.id);
  const name = t(INBOX.editTitle, {
    name: item.title === '' ? t(INBOX.record, { id: item.record ?? 0 }) : item.title,
  });
  return (
    <Dialog title={name} onClose={onClose}>
      <Loaded request={request}>
        {(edited) => (
          <Form edited={edited} hasTitle={item.origin !== 'fact'} onSave={onSave} onClose={onClose} />
        )}
      </Loaded>
      {problem !== undefined && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}

interface FormProps {
  readonly edited: Edited;
  /** The title of a fact is its key. */
  readonly hasTitle: boolean;
  readonly onSave: (edited: Edited) => void;
  readonly onClose: () => void;
}

function Form({ edited, hasTitle, onSave, onClose }: FormProps): JSX.Element {
  const [title, setTitle] = useState(edited.title);
  const [text, setText] = useState(edited.text);
  return (
    <EditForm
      button={t(INBOX.save)}
      onSave={async () => onSave({ ...edited, title, text })}
      onCancel={onClose}
    >
      {hasTitle && <TextField label={t(SHELL.title)} value={title} onChange={setTitle} />}
      <TextArea label={t(INBOX.textLabel)} rows={12} value={text} onChange={setText} />
    </EditForm>
  );
}

/** What is being edited, and the changes of that record that the reader saw before: later ones stay in the inbox. */
interface Editing {
  readonly item: Change;
  readonly seen: readonly number[];
  /** Why it could not be saved. */
  readonly problem?: string;
}

interface ItemState extends ItemHandlers {
  /** The change whose text is being edited. */
  readonly editing: Editing | null;
  readonly closeEditor: () => void;
  readonly save: (edited: Edited) => void;
}

function elements(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-item]')];
}

function focused(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-item]') ?? null;
}

/** Keys and buttons of the changes that are shown. When one is gone, the focus is on the one after it. */
function useItems(all: readonly Change[], actions: InboxActions): ItemState {
  const [editing, setEditing] = useState<Editing | null>(null);
  const position = useRef<number | null>(null);
  const act = (work: (item: Change) => Promise<void>) => (item: Change) => {
    const here = elements().findIndex((element) => element.dataset['item'] === nameOf(item));
    const isFocused = elements()[here]?.contains(document.activeElement) === true;
    position.current = isFocused ? here : null;
    void work(item);
  };
  useEffect(() => {
    const wanted = position.current;
    if (wanted === null || elements()[wanted]?.contains(document.activeElement) === true) return;
    position.current = null;
    (elements()[wanted] ?? elements().at(-1))?.focus();
  }, [all.map(nameOf).join()]);
  const keep = act((item) => actions.keep({ changes: [item.id] }));
  const undo = act((item) => actions.undo({ changes: [item.id] }));
  const edit = (item: Change): void => {
    const seen = all.filter((each) => each.record === item.record);
    setEditing({ item, seen: seen.map(({ id }) => id) });
  };
  const closeEditor = (): void => setEditing(null);
  const onFocused = (work: (item: Change) => void) => () => {
    const item = all.find((each) => nameOf(each) === focused()?.dataset['item']);
    if (item !== undefined) work(item);
  };
  const move = (step: 1 | -1): void => {
    const list = elements();
    const here = focused();
    const next = here === null ? list[0] : list[list.indexOf(here) + step];
    next?.focus();
  };
  useKeys([
    { key: 'j', does: t(INBOX.keyNext), run: () => move(1) },
    { key: 'k', does: t(INBOX.keyPrevious), run: () => move(-1) },
    { key: 'ArrowDown', does: t(INBOX.keyNext), run: () => move(1) },
    { key: 'ArrowUp', does: t(INBOX.keyPrevious), run: () => move(-1) },
    { key: 'y', does: t(INBOX.keyKeep), run: onFocused(keep) },
    {
      key: 'd',
      does: t(INBOX.keyUndo),
      run: onFocused((item) => {
        if (item.undo !== null) undo(item);
      }),
    },
    {
      key: 'e',
      does: t(SHELL.edit),
      run: onFocused((item) => {
        if (item.state === 'live') edit(item);
      }),
    },
    {
      key: 'o',
      does: t(INBOX.keyOpen),
      run: onFocused((item) => {
        if (item.record !== null) navigate(href(`/record/${String(item.record)}`));
      }),
    },
  ]);
  const save: ItemState['save'] = (edited) => {
    if (editing === null) return;
    const { item, seen } = editing;
    act(async () => {
      const problem = await actions.save(item, seen, edited);
      setEditing(problem === null ? null : { item, seen, problem });
    })(item);
  };
  return { keep, undo, edit, editing, save, closeEditor };
}

function nameOf({ id }: Change): string {
  return `c${String(id)}`;
}
