import type { JSX } from 'preact';
import { PlainText } from '../../parts/plain-text.tsx';
import { INBOX } from '../../text/pages/inbox.ts';
import { formatMoment, t, type Text } from '../../text/text.ts';
import type { Change } from './actions.ts';

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
export function Diff({ change }: { readonly change: Change }): JSX.Element | null {
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
