import { formatCount } from '../../../core/text/format-count.ts';
import type {
  FactCategoriesOutput,
  Fact,
  FactForgetOutput,
  FactListOutput,
  FactStoreOutput,
} from '../../../engine/facts/fact-fields.ts';
import type { CorpusOutput } from '../../../operations/nouns/facts.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { maskedWarnings, formatNotEmbedded } from '../format/phrases.ts';
import { alignColumns } from '../format/table.ts';
import { clip } from '../format/text-width.ts';
import { ageText, expiryText, timeLeftText } from '../format/times.ts';
import { indent, wrap } from '../format/wrap.ts';
import type { OperationCommand, View } from './operation-command.ts';

const NO_FACTS = 'There are no facts; `loci fact store KEY VALUE` stores one.\n';

export const factStore: OperationCommand<FactStoreOutput> = {
  operands: [
    { field: 'key', label: 'key', takes: 'one' },
    { field: 'value', label: 'value', takes: 'words' },
  ],
  commaLists: ['tags'],
  warnings: maskedWarnings,
  render: (output) => {
    const { key, category, expires_at, replaced, replayed } = output;
    const name = `${oneLine(key)} in ${oneLine(category)}`;
    const expiry = `it expires on ${expiryText(expires_at, Date.now())}`;
    if (replayed) return `Stored before: ${name}, with the same idempotency key; ${expiry}.\n`;
    const first = replaced ? `Stored ${name} and replaced its previous value` : `Stored ${name}`;
    return `${first}; ${expiry}.\n${formatNotEmbedded(output)}`;
  },
};

export const factRecall: OperationCommand<Fact> = {
  operands: [{ field: 'key', label: 'key', takes: 'one' }],
  viewOptions: [{ name: 'plain', description: 'the value alone' }],
  render: (fact, { style, columns, terminal, options }) => {
    // A file or a pipe gets the value unchanged.
    if (options.has('plain')) return `${terminal ? escapeControl(fact.value) : fact.value}\n`;
    const { key, category, tags, trust, stored_at, expires_at } = fact;
    const now = Date.now();
    const details = [
      oneLine(category),
      ...(trust === 'operator' ? [] : [trust]),
      `stored ${ageText(stored_at, now)}`,
      timeLeftText(expires_at, now),
      ...tags.map((tag) => `#${oneLine(tag)}`),
    ];
    const name = style.bold(clip(oneLine(key), columns));
    return `${name}\n${style.dim(clip(details.join(' · '), columns))}\n\n${escapeControl(fact.value)}\n`;
  },
};

export const factList: OperationCommand<FactListOutput> = {
  shortOptions: { limit: 'n' },
  commaLists: ['tags'],
  render: ({ facts, total, next }, view) => {
    if (facts.length === 0) return NO_FACTS;
    const count = formatCount(total, 'fact');
    const shown = facts.length === total ? count : `${String(facts.length)} of ${count}`;
    const more = next === null ? '' : `; \`--after ${String(next)}\` shows the next page`;
    return [...factRows(facts, view), '', view.style.dim(shown + more), ''].join('\n');
  },
};

/** Key, value, age and time left; also category and trust if they differ between the facts. */
function factRows(facts: readonly Fact[], { style, columns }: View): string[] {
  const now = Date.now();
  const isOneCategory = new Set(facts.map(({ category }) => category)).size === 1;
  const isAllOperator = facts.every(({ trust }) => trust === 'operator');
  const rows = facts.map(({ key, category, trust, value, stored_at, expires_at }) => [
    oneLine(key),
    ...(isOneCategory ? [] : [oneLine(category)]),
    ...(isAllOperator ? [] : [trust === 'operator' ? '' : trust]),
    oneLine(value).trim(),
    ageText(stored_at, now),
    timeLeftText(expires_at, now),
  ]);
  const categoryStyle = isOneCategory ? [] : [style.dim];
  const trustStyle = isAllOperator ? [] : [style.warning];
  const valueIndex = 1 + categoryStyle.length + trustStyle.length;
  const flexible = isOneCategory ? [0, valueIndex] : [0, 1, valueIndex];
  const cellStyles = [style.bold, ...categoryStyle, ...trustStyle, String, style.dim, style.dim];
  return alignColumns(rows, { columns, flexible, cellStyles });
}

export const factForget: OperationCommand<FactForgetOutput> = {
  operands: [{ field: 'key', label: 'key', takes: 'one' }],
  render: ({ forgotten, facts }, view) => {
    const [first] = facts;
    if (first === undefined) return 'No fact matches; nothing was forgotten.\n';
    if (forgotten === 1) {
      const name = `${oneLine(first.key)} in ${oneLine(first.category)}`;
      return `Forgot ${name}. \`loci undelete ${String(first.id)}\` restores it.\n`;
    }
    const rows = facts.map(({ id, key, category }) => [String(id), oneLine(key), oneLine(category)]);
    const list = alignColumns(rows, { columns: view.columns - 2, flexible: [1, 2] });
    const more = forgotten - facts.length;
    const rest = more === 0 ? [] : [view.style.dim(`  … and ${String(more)} more`)];
    const head = `Forgot ${String(forgotten)} facts; \`loci undelete ID\` restores one:`;
    return `${[head, ...indent(list, '  '), ...rest].join('\n')}\n`;
  },
};

export const factCategories: OperationCommand<FactCategoriesOutput> = {
  render: ({ categories }, { style, columns }) => {
    if (categories.length === 0) return NO_FACTS;
    const rows = categories.map(({ name, count, recent_keys }) => [
      oneLine(name),
      formatCount(count, 'fact'),
      recent_keys.map(oneLine).join(', '),
    ]);
    const cellStyles = [style.bold, String, style.dim];
    return `${alignColumns(rows, { columns, flexible: [0, 2], cellStyles }).join('\n')}\n`;
  },
};

const MAX_SNIPPET_LINES = 4;

export const corpus: OperationCommand<CorpusOutput> = {
  operands: [{ field: 'query', label: 'query', takes: 'words' }],
  shortOptions: { limit: 'n' },
  render: ({ documents }, { style, columns }) => {
    if (documents.length === 0) return 'There are no facts and no runs.\n';
    const blocks = documents.map(({ path, docid, score, snippet }) => {
      const lines = escapeControl(snippet)
        .split('\n')
        .flatMap((line) => wrap(line, columns - 2));
      const more = lines.length > MAX_SNIPPET_LINES ? [style.dim('…')] : [];
      return [
        style.bold(clip(oneLine(path), columns)),
        style.dim(`${oneLine(docid)} · score ${score.toFixed(2)}`),
        ...indent([...lines.slice(0, MAX_SNIPPET_LINES), ...more], '  '),
      ].join('\n');
    });
    return `${blocks.join('\n\n')}\n`;
  },
};
