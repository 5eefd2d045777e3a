import type { JSX } from 'preact';
import { call, type Output } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { More } from '../../parts/more.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { RECORD } from '../../text/pages/record.ts';
import { counted, t } from '../../text/text.ts';
import type { ShownRecord } from './markdown-view.tsx';

type Log = Output<'/api/v1/audit'>;
type Entry = Log['entries'][number];

const PAGE_SIZE = 10;

/** What was done to the record, by whom, with the changes. The log has nothing of notes, which change in their files. */
export function History({ record }: { readonly record: ShownRecord }): JSX.Element {
  const { id, updated_at: updatedAt, deleted_at: deletedAt } = record;
  const list = usePages(
    (after: string | undefined, signal) =>
      call(
        '/api/v1/audit',
        { record: id, limit: PAGE_SIZE, ...(after !== undefined && { after }) },
        signal === undefined ? {} : { signal },
      ),
    ({ entries, next }: Log) => ({ items: entries, next }),
    [id, updatedAt, deletedAt],
  );
  const isWritten = record.changed_by === 'update' || record.changed_by === 'fact-store';
  return (
    <section class="record-part">
      <h2>{t(RECORD.history)}</h2>
      <Loaded request={list} loading={<Skeleton lines={3} />}>
        {() =>
          list.items.length === 0 ? (
            <p class="quiet-text">{t(isWritten ? RECORD.noHistory : RECORD.noHistoryOfNotes)}</p>
          ) : (
            <ol class="history">
              {list.items.map((entry) => (
                <HistoryEntry key={`${entry.chain} ${String(entry.seq)}`} entry={entry} />
              ))}
            </ol>
          )
        }
      </Loaded>
      <More list={list} />
    </section>
  );
}

const ACTIONS: Readonly<Record<string, keyof typeof RECORD>> = {
  write: 'actionWrite',
  update: 'actionUpdate',
  delete: 'actionDelete',
  undelete: 'actionUndelete',
  store: 'actionStore',
  forget: 'actionForget',
};

function HistoryEntry({ entry }: { readonly entry: Entry }): JSX.Element {
  const { at, actor, surface, action, diff, erased } = entry;
  const name = ACTIONS[action];
  return (
    <li>
      <p class="row">
        <strong>{name === undefined ? action : t(RECORD[name])}</strong>
        <span class="quiet-text">
          {t(RECORD.by, { actor, surface })} · <Time iso={at} />
        </span>
      </p>
      {erased && <p class="quiet-text">{t(RECORD.erased)}</p>}
      {diff !== null && <Changes diff={diff} isNew={action === 'write' || action === 'store'} />}
    </li>
  );
}

type Diff = NonNullable<Entry['diff']>;

/** Each changed field with its values before and after; a text as the lines that differ. */
function Changes({ diff, isNew }: { readonly diff: Diff; readonly isNew: boolean }): JSX.Element | null {
  const fields = Object.entries(diff);
  if (isNew) {
    const { characters } = objectOf(diff['content']);
    return typeof characters === 'number' ? (
      <p class="quiet-text">{counted(RECORD.characters, characters)}</p>
    ) : null;
  }
  return (
    <dl class="changes">
      {fields.map(([field, change]) => {
        const { patch, before, after } = objectOf(change);
        return (
          <div key={field}>
            <dt>{fieldName(field)}</dt>
            <dd>
              {typeof patch === 'string' ? (
                <Patch text={patch} />
              ) : (
                <div class="diff">
                  <del>
                    <PlainText text={valueText(before)} />
                  </del>
                  <ins>
                    <PlainText text={valueText(after)} />
                  </ins>
                </div>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const FIELDS = ['title', 'content', 'tags', 'project', 'category', 'record_type'] as const;

function fieldName(field: string): string {
  const known = FIELDS.find((name) => name === field);
  return known === undefined ? field : t(RECORD[known]);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function valueText(value: unknown): string {
  if (value === undefined || value === null || value === '') return t(RECORD.none);
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(valueText).join(', ') : JSON.stringify(value);
}

/** Lines of a patch that are shown. */
const MAX_LINES = 200;

/** A unified diff without its heads. */
function Patch({ text }: { readonly text: string }): JSX.Element {
  const lines = text.split('\n').filter((line) => /^[-+]/.test(line));
  const left = lines.length - MAX_LINES;
  return (
    <div class="diff">
      {lines.slice(0, MAX_LINES).map((line, i) =>
        line.startsWith('+') ? (
          <ins key={i}>
            <PlainText text={line.slice(1)} />
          </ins>
        ) : (
          <del key={i}>
            <PlainText text={line.slice(1)} />
          </del>
        ),
      )}
      {left > 0 && <p class="quiet-text">{counted(RECORD.furtherLines, left)}</p>}
    </div>
  );
}
