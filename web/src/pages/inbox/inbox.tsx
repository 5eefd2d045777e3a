import './inbox.css';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useInboxChanges } from '../../parts/inbox-count.ts';
import { More } from '../../parts/more.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { href, Link, type PageProps } from '../../router.tsx';
import { INBOX } from '../../text/pages/inbox.ts';
import { counted, t } from '../../text/text.ts';
import { type Change, type Group, inboxActions, type InboxActions } from './actions.ts';
import { EditDialog } from './edit-dialog.tsx';
import { GroupCard } from './group-card.tsx';
import { type ItemState, useItems } from './use-items.ts';

type Inbox = Output<'/api/v1/inbox/list'>;

/** What agents did: all sessions at `/inbox`, one of them at `/inbox/GROUP`. */
export function InboxPage({ rest }: PageProps): JSX.Element {
  return rest === '' ? <AllGroups /> : <OneGroup key={rest} id={rest} />;
}

function AllGroups(): JSX.Element {
  const list = usePages<Inbox, Group, string>(
    (after, signal) =>
      call(
        '/api/v1/inbox/list',
        after === undefined ? {} : { after },
        signal === undefined ? {} : { signal },
      ),
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
      title={t(INBOX.title)}
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
        <Dialog title={counted(INBOX.keepQuestion, total)} onClose={() => setAsking(false)}>
          <p>{t(INBOX.keepAbout)}</p>
          <div class="row end">
            <button type="button" class="button" onClick={() => setAsking(false)}>
              {t(INBOX.cancel)}
            </button>
            <button
              type="button"
              class="button primary"
              onClick={() => {
                setAsking(false);
                void actions.keep({ all: true, up_to: last });
              }}
            >
              {t(INBOX.keepEverything)}
            </button>
          </div>
        </Dialog>
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
        signal === undefined ? {} : { signal },
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
    <Page title={t(INBOX.title)} about={t(INBOX.about)} actions={back} narrow>
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
