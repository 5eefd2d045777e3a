import type { JSX } from 'preact';
import { Bar } from '../../parts/page.tsx';
import { useState } from 'preact/hooks';
import { Folded, PlainText } from '../../parts/plain-text.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link } from '../../router.tsx';
import { FACTS } from '../../text/pages/facts.ts';
import { counted, formatAgo, formatMoment, t } from '../../text/text.ts';
import type { FactChanges, Fact } from './changes.ts';
import { SHELL, TRUST } from '../../text/shell.ts';
import { FactForm, LIFETIMES } from './fact-form.tsx';

interface FactRowProps {
  readonly fact: Fact;
  readonly changes: FactChanges;
}

/** A fact, and how much of its time is left. */
export function FactRow({ fact, changes }: FactRowProps): JSX.Element {
  const [editing, setEditing] = useState(false);
  const { id, key, category, tags, trust, stored_at: stored } = fact;
  return (
    <li class="fact" data-fact={key}>
      <div class="fact-head">
        <h2>
          <Link to={href(`/record/${String(id)}`)}>
            <PlainText text={key} />
          </Link>
        </h2>
        <TimeLeft fact={fact} />
      </div>
      {editing ? (
        <FactForm
          fact={fact}
          categories={[]}
          category={category}
          onSave={async (fields) => {
            await changes.store(fields, fact);
            setEditing(false);
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <Folded text={fact.value} />
      )}
      <div class="fact-foot">
        <p class="row separated quiet-text">
          <span>
            <PlainText text={category} />
          </span>
          {tags.length > 0 && (
            <span>
              <PlainText text={tags.map((tag) => `#${tag}`).join(' ')} />
            </span>
          )}
          <span>
            {t(FACTS.storedBy, { who: t(TRUST[trust]) })} <Time iso={stored} />
          </span>
        </p>
        <Actions fact={fact} changes={changes} editing={editing} onEdit={() => setEditing(!editing)} />
      </div>
    </li>
  );
}

interface ActionsProps extends FactRowProps {
  readonly editing: boolean;
  readonly onEdit: () => void;
}

function Actions({ fact, changes, editing, onEdit }: ActionsProps): JSX.Element {
  const { key } = fact;
  return (
    <div class="row fact-actions">
      <select
        class="input keep"
        value=""
        aria-label={t(FACTS.keepFor, { key })}
        onChange={({ currentTarget }) => {
          const days = Number(currentTarget.value);
          currentTarget.value = '';
          if (days > 0) changes.keep(fact, days);
        }}
      >
        <option value="">{t(FACTS.keep)}</option>
        {LIFETIMES.map((days) => (
          <option key={days} value={String(days)}>
            {counted(FACTS.days, days)}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="button quiet small"
        aria-label={t(SHELL.editKey, { key })}
        aria-expanded={editing}
        onClick={onEdit}
      >
        {t(SHELL.edit)}
      </button>
      <button
        type="button"
        class="button quiet small danger"
        aria-label={t(FACTS.forgetKey, { key })}
        onClick={() => changes.forget(fact)}
      >
        {t(FACTS.forget)}
      </button>
    </div>
  );
}

const SOON_MS = 7 * 86_400_000;

function TimeLeft({ fact }: { readonly fact: Fact }): JSX.Element {
  const { stored_at: stored, expires_at: expires } = fact;
  const left = Date.parse(expires) - Date.now();
  const share = left / Math.max(1, Date.parse(expires) - Date.parse(stored));
  return (
    <div class={left < SOON_MS ? 'time-left soon' : 'time-left'} title={formatMoment(expires)}>
      <span>{t(FACTS.left, { when: formatAgo(expires) })}</span>
      <Bar share={share} />
    </div>
  );
}
