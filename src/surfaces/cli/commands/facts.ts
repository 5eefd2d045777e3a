import { counted } from '../../../core/text/counted.ts';
import type { FactCategoriesOutput } from '../../../operations/facts/categories.ts';
import type { Fact } from '../../../operations/facts/fact-fields.ts';
import type { FactForgetOutput } from '../../../operations/facts/forget.ts';
import type { FactListOutput } from '../../../operations/facts/list.ts';
import type { FactStoreOutput } from '../../../operations/facts/store.ts';
import { aligned } from '../format/table.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { clip } from '../format/text-width.ts';
import { ageInWords, leftInWords, untilInWords } from '../format/times.ts';
import { indent } from '../format/wrap.ts';
import { maskedNotices, wordsAlone } from '../format/phrases.ts';
import type { Renderer, View } from './operation-command.ts';

const NONE = 'No facts are stored here; `loci fact store KEY VALUE` keeps one.\n';

export const factStoreRenderer: Renderer<FactStoreOutput> = {
  notices: maskedNotices,
  render: (output) => {
    const { key, category, expires_at, replaced, replayed } = output;
    const name = `${oneLine(key)} in ${oneLine(category)}`;
    const until = `kept until ${untilInWords(expires_at, Date.now())}`;
    if (replayed) return `Stored before: ${name}, under the same idempotency key; ${until}.\n`;
    const first = replaced ? `Stored ${name} in the place of its former value` : `Stored ${name}`;
    return `${first}; ${until}.\n${wordsAlone(output)}`;
  },
};

export const factRecallRenderer: Renderer<Fact> = {
  render: (fact, { style, columns, terminal, options }) => {
    // Into a file or a pipe the value goes as it is.
    if (options.has('plain')) return `${terminal ? escapeControl(fact.value) : fact.value}\n`;
    const { key, category, tags, trust, stored_at, expires_at } = fact;
    const now = Date.now();
    const said = [
      oneLine(category),
      ...(trust === 'operator' ? [] : [trust]),
      `stored ${ageInWords(stored_at, now)}`,
      leftInWords(expires_at, now),
      ...tags.map((tag) => `#${oneLine(tag)}`),
    ];
    const name = style.bold(clip(oneLine(key), columns));
    return `${name}\n${style.dim(clip(said.join(' · '), columns))}\n\n${escapeControl(fact.value)}\n`;
  },
};

export const factListRenderer: Renderer<FactListOutput> = {
  render: ({ facts, total, next }, view) => {
    if (facts.length === 0) return NONE;
    const count = counted(total, 'fact');
    const some = facts.length === total ? count : `${String(facts.length)} of ${count}`;
    const more = next === null ? '' : `; \`--after ${String(next)}\` goes on from here`;
    return [...factRows(facts, view), '', view.style.dim(some + more), ''].join('\n');
  },
};

/** Key, shelf and whose word it is where that differs, value, age, time left. */
function factRows(facts: readonly Fact[], { style, columns }: View): string[] {
  const now = Date.now();
  const isOneShelf = new Set(facts.map(({ category }) => category)).size === 1;
  const isOwn = facts.every(({ trust }) => trust === 'operator');
  const rows = facts.map(({ key, category, trust, value, stored_at, expires_at }) => [
    oneLine(key),
    ...(isOneShelf ? [] : [oneLine(category)]),
    ...(isOwn ? [] : [trust === 'operator' ? '' : trust]),
    oneLine(value).trim(),
    ageInWords(stored_at, now),
    leftInWords(expires_at, now),
  ]);
  const shelf = isOneShelf ? [] : [style.dim];
  const trust = isOwn ? [] : [style.warning];
  const value = 1 + shelf.length + trust.length;
  const flexible = isOneShelf ? [0, value] : [0, 1, value];
  const paints = [style.bold, ...shelf, ...trust, String, style.dim, style.dim];
  return aligned(rows, { columns, flexible, paints });
}

export const factForgetRenderer: Renderer<FactForgetOutput> = {
  render: ({ forgotten, facts }, view) => {
    const [only] = facts;
    if (only === undefined) return 'No fact fits; nothing was forgotten.\n';
    if (forgotten === 1) {
      const name = `${oneLine(only.key)} in ${oneLine(only.category)}`;
      return `Forgot ${name}. \`loci undelete ${String(only.id)}\` brings it back.\n`;
    }
    const rows = facts.map(({ id, key, category }) => [String(id), oneLine(key), oneLine(category)]);
    const list = aligned(rows, { columns: view.columns - 2, flexible: [1, 2] });
    const more = forgotten - facts.length;
    const rest = more === 0 ? [] : [view.style.dim(`  … and ${String(more)} more`)];
    const first = `Forgot ${String(forgotten)} facts; \`loci undelete ID\` brings one back:`;
    return `${[first, ...indent(list, '  '), ...rest].join('\n')}\n`;
  },
};

export const factCategoriesRenderer: Renderer<FactCategoriesOutput> = {
  render: ({ categories }, { style, columns }) => {
    if (categories.length === 0) return NONE;
    const rows = categories.map(({ name, count, recent_keys }) => [
      oneLine(name),
      counted(count, 'fact'),
      recent_keys.map(oneLine).join(', '),
    ]);
    const paints = [style.bold, String, style.dim];
    return `${aligned(rows, { columns, flexible: [0, 2], paints }).join('\n')}\n`;
  },
};
