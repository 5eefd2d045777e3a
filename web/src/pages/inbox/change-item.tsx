import type { JSX } from 'preact';
import { Diff } from '../../parts/diff.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link } from '../../router.tsx';
import { INBOX } from '../../text/pages/inbox.ts';
import { counted, formatAgo, t, type Text } from '../../text/text.ts';
import { SHELL } from '../../text/shell.ts';
import type { Change } from './actions.ts';

/** What each action is called, and the class of its label. */
export const ACTIONS: Readonly<Record<string, readonly [Text, string]>> = {
  write: [INBOX.didWrite, 'good'],
  update: [INBOX.didChange, 'accent'],
  undelete: [INBOX.didRestore, 'accent'],
  store: [INBOX.didStore, 'good'],
  delete: [INBOX.didDelete, 'bad'],
  forget: [INBOX.didDelete, 'bad'],
  'startup-set': [INBOX.didStartup, 'accent'],
  'startup-remove': [INBOX.didStartup, 'bad'],
};

interface ItemActions {
  readonly onKeep: () => void;
  readonly onUndo: () => void;
  readonly onEdit: () => void;
}

/** A change: what was done to which record, its text or what changed in it, and what can be done now. */
export function ChangeItem({
  change,
  onKeep,
  onUndo,
  onEdit,
}: ItemActions & { readonly change: Change }): JSX.Element {
  const { id, at, action, subject, record, title, state, expires_at: expiresAt, category, undo } = change;
  const [name, kind] = ACTIONS[action] ?? [null, ''];
  const shown = title === '' ? (record === null ? (subject ?? '') : t(INBOX.record, { id: record })) : title;
  return (
    <li class="change" data-item={`c${String(id)}`} data-record={record} tabIndex={0}>
      <div class="change-head">
        <span class={`label ${kind}`}>{name === null ? <PlainText text={action} /> : t(name)}</span>
        <h3>
          {record === null ? (
            <PlainText text={shown} />
          ) : (
            <Link to={href(`/record/${String(record)}`)} tabIndex={-1}>
              <PlainText text={shown} />
            </Link>
          )}
        </h3>
        <p class="row separated quiet-text">
          {action === 'store' && category !== null && (
            <span>
              <PlainText text={category} />
            </span>
          )}
          {expiresAt !== null && state === 'live' && (
            <span>{t(INBOX.expires, { when: formatAgo(expiresAt) })}</span>
          )}
          {state === 'deleted' && action !== 'delete' && action !== 'forget' && (
            <span>{t(INBOX.wasDeleted)}</span>
          )}
          <Time iso={at} />
        </p>
      </div>
      <Body change={change} />
      {undo === null && (
        <p class="quiet-text">
          <PlainText text={reasonOf(change)} />
        </p>
      )}
      {change.with > 0 && undo !== null && <p class="quiet-text">{counted(INBOX.alsoLater, change.with)}</p>}
      <div class="change-actions">
        <button type="button" class="button small" onClick={onKeep}>
          {t(INBOX.keep)}
        </button>
        {state === 'live' && (
          <button type="button" class="button small" onClick={onEdit}>
            {t(SHELL.edit)}
          </button>
        )}
        {undo !== null && (
          <button
            type="button"
            class={undo === 'delete' ? 'button small danger' : 'button small'}
            onClick={onUndo}
          >
            {t(INBOX[undo])}
          </button>
        )}
      </div>
    </li>
  );
}

/** The beginning of a text that is new, was deleted or could not be compared, and what else changed. */
function Body({ change }: { readonly change: Change }): JSX.Element {
  const { diff } = change;
  const { trust: _, ...shown } = diff ?? {};
  const content: unknown = shown['content'];
  const isObject = typeof content === 'object' && content !== null;
  const isNew = isObject && 'characters' in content;
  const hasNoPatch = isObject && 'before' in content;
  return (
    <>
      {diff !== null && !isNew && <Diff diff={shown} />}
      {diff !== null && !isNew && change.shortened && <p class="quiet-text">{t(INBOX.shortened)}</p>}
      {(diff === null || isNew || hasNoPatch) && <Excerpt change={change} />}
    </>
  );
}

/** The beginning of the text as it is now. */
function Excerpt({ change }: { readonly change: Change }): JSX.Element | null {
  const { excerpt, excerpt_shortened: isShortened, record } = change;
  if (excerpt === '') return null;
  const isLater = change.with > 0 || change.changed_by !== null;
  return (
    <>
      {isLater && <p class="quiet-text">{t(INBOX.nowReads)}</p>}
      <p class="excerpt">
        <PlainText text={excerpt} />
        {isShortened && ' …'}
      </p>
      {isShortened && record !== null && (
        <p>
          <Link to={href(`/record/${String(record)}`)}>{t(INBOX.showAll)}</Link>
        </p>
      )}
    </>
  );
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

function reasonOf({ changed_by: by, subject, state, why }: Change): string {
  if (by !== null) return t(INBOX.changedAgain, { agent: by.agent });
  if (!UUID.test(subject ?? '')) return t(INBOX.noRecord);
  return state === 'gone' ? t(INBOX.gone) : t(INBOX.refused, { why: why ?? '' });
}
