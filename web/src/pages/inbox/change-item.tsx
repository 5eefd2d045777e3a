import type { JSX } from 'preact';
import { PlainText } from '../../parts/plain-text.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link } from '../../router.tsx';
import { INBOX } from '../../text/pages/inbox.ts';
import { counted, formatAgo, t, type Text, formatMoment } from '../../text/text.ts';
import type { Change } from './actions.ts';

/** What each action is called, and the class of its label. */
const ACTIONS: Readonly<Record<string, readonly [Text, string]>> = {
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
            {t(INBOX.edit)}
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
  const content: unknown = diff?.['content'];
  const isObject = typeof content === 'object' && content !== null;
  const isNew = isObject && 'characters' in content;
  const hasNoPatch = isObject && 'before' in content;
  return (
    <>
      {diff !== null && !isNew && <Diff change={change} />}
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

const NAMES: Readonly<Record<string, Text>> = {
  title: INBOX.fieldTitle,
  tags: INBOX.fieldTags,
  category: INBOX.fieldCategory,
  record_type: INBOX.fieldType,
  project: INBOX.fieldProject,
  expires_at: INBOX.fieldExpires,
  metadata: INBOX.fieldMetadata,
  key: INBOX.fieldKey,
  content: INBOX.content,
};

/** What a change did: fields before and after, and the lines of the text that were removed and added. */
function Diff({ change }: { readonly change: Change }): JSX.Element | null {
  const fields: [string, unknown][] = Object.entries(change.diff ?? {});
  const content: unknown = change.diff?.['content'];
  const patch = textOf(content, 'patch');
  const before = textOf(content, 'before');
  const isText = patch !== null || before !== null;
  const rows = fields.filter(([name]) => name !== 'trust' && (name !== 'content' || !isText));
  return (
    <>
      {rows.length > 0 && (
        <dl class="fields">
          {rows.map(([name, value]) => (
            <div key={name}>
              <dt>{Object.hasOwn(NAMES, name) ? t(NAMES[name]!) : <PlainText text={name} />}</dt>
              <dd>
                {isPair(value) ? (
                  <>
                    <Value name={name} value={part(value, 'before')} removed />{' '}
                    <Value name={name} value={part(value, 'after')} />
                  </>
                ) : (
                  <Value name={name} value={value} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {patch !== null && <Patch patch={patch} />}
      {before !== null && <Patch patch={before.replaceAll(/^/gm, '-')} />}
      {change.shortened && <p class="quiet-text">{t(INBOX.shortened)}</p>}
    </>
  );
}

/** Whether a value is that before and after; entries of the log about other things have other values. */
function isPair(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('before' in value || 'after' in value);
}

function part(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? ((value as Readonly<Record<string, unknown>>)[name] ?? null)
    : null;
}

function textOf(value: unknown, name: string): string | null {
  const text = part(value, name);
  return typeof text === 'string' ? text : null;
}

interface ValueProps {
  readonly name: string;
  readonly value: unknown;
  readonly removed?: boolean;
}

function Value({ name, value, removed = false }: ValueProps): JSX.Element {
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  const shown = isEmpty ? t(INBOX.none) : valueText(name, value);
  const Tag = removed ? 'del' : 'ins';
  return (
    <Tag>
      <PlainText text={shown} />
    </Tag>
  );
}

function valueText(name: string, value: unknown): string {
  if (name === 'expires_at') return formatMoment(String(value));
  if (Array.isArray(value))
    return value.map((each) => (name === 'tags' ? '#' : '') + valueText('', each)).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const KINDS: Readonly<Record<string, 'removed' | 'added'>> = { '-': 'removed', '+': 'added' };

/** Removed and added lines, which differ by a sign and by colour. */
function Patch({ patch }: { readonly patch: string }): JSX.Element {
  const lines = patch.replace(/\n$/, '').split('\n');
  return (
    <div class="patch">
      {lines.map((line, i) => {
        const [, number] = HUNK.exec(line) ?? [];
        if (number !== undefined)
          return (
            <p key={i} class="hunk">
              {t(INBOX.line, { n: Number(number) })}
            </p>
          );
        const kind = KINDS[line[0] ?? ''];
        // "\ No newline at end of file".
        if (kind === undefined) return null;
        const Tag = kind === 'removed' ? 'del' : 'ins';
        return (
          <p key={i} class={kind}>
            <span aria-hidden="true">{kind === 'removed' ? '−' : '+'}</span>
            <Tag>
              <PlainText text={line.slice(1)} />
            </Tag>
          </p>
        );
      })}
    </div>
  );
}
