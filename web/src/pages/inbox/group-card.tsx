import type { JSX } from 'preact';
import { PlainText } from '../../parts/plain-text.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link } from '../../router.tsx';
import { INBOX } from '../../text/pages/inbox.ts';
import { counted, t } from '../../text/text.ts';
import type { Change, Group } from './actions.ts';
import { ChangeItem } from './change-item.tsx';

/** What can be done to one change. */
export interface ItemHandlers {
  readonly keep: (item: Change) => void;
  readonly undo: (item: Change) => void;
  readonly edit: (item: Change) => void;
}

interface GroupCardProps {
  readonly group: Group;
  /** The changes that are shown; there may be more on further pages. */
  readonly changes: readonly Change[];
  readonly handlers: ItemHandlers;
  readonly onKeepAll: () => void;
  readonly onUndoAll: () => void;
}

const SURFACES: Readonly<Record<string, string>> = { mcp: 'MCP', rest: 'REST', openclaw: 'OpenClaw' };

const COUNTED = ['written', 'changed', 'deleted', 'facts'] as const;

/** What one agent did in a session. */
export function GroupCard({ group, changes, handlers, onKeepAll, onUndoAll }: GroupCardProps): JSX.Element {
  const { id, agent, surface, session, to, total } = group;
  const hasMore = group.next_change !== null;
  const heading = `group-${id}`;
  return (
    <section class="card group" aria-labelledby={heading}>
      <header>
        <div class="group-name">
          <h2 id={heading}>
            <PlainText text={t(INBOX.via, { agent, surface: SURFACES[surface] ?? surface })} />
          </h2>
          <p class="row separated quiet-text">
            {COUNTED.filter((name) => group[name] > 0).map((name) => (
              <span key={name}>{counted(INBOX[name], group[name])}</span>
            ))}
            <Time iso={to} />
          </p>
          <p class="quiet-text session" title={session ?? ''}>
            <PlainText text={session === null ? t(INBOX.noSession) : t(INBOX.session, { name: session })} />
          </p>
        </div>
        <div class="row">
          <button type="button" class="button small" onClick={onKeepAll}>
            {t(INBOX.keepAll)}
          </button>
          <button type="button" class="button small danger" title={t(INBOX.undoAllAbout)} onClick={onUndoAll}>
            {t(session === null ? INBOX.undoAllUnnamed : INBOX.undoAll)}
          </button>
        </div>
      </header>
      {changes.length > 0 && (
        <ul>
          {changes.map((change) => (
            <ChangeItem
              key={change.id}
              change={change}
              onKeep={() => handlers.keep(change)}
              onUndo={() => handlers.undo(change)}
              onEdit={() => handlers.edit(change)}
            />
          ))}
        </ul>
      )}
      {hasMore && (
        <p class="group-more">
          <Link to={href(`/inbox/${id}`)}>{t(INBOX.all, { n: total })}</Link>
        </p>
      )}
    </section>
  );
}
