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
import { tables } from '../format/output-text.ts';
import { maskedWarnings, formatNotEmbedded } from '../format/phrases.ts';
import { expiryText } from '../format/times.ts';
import type { Operand, OperationCommand } from './operation-command.ts';

const NO_FACTS = 'There are no facts; `loci fact store KEY VALUE` stores one.';
const KEY: Operand = { field: 'key', label: 'key', takes: 'one' };

export const factStore: OperationCommand<FactStoreOutput> = {
  operands: [KEY, { field: 'value', label: 'value', takes: 'words' }],
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
  operands: [KEY],
  viewOptions: [{ name: 'plain', description: 'the value alone' }],
  render: (fact, view) => {
    // A file or a pipe gets the value unchanged.
    if (view.options.has('plain')) return `${view.terminal ? escapeControl(fact.value) : fact.value}\n`;
    const about = tables({}, '', 'key category tags trust stored_at expires_at')(fact, view);
    return `${about}\n${escapeControl(fact.value)}\n`;
  },
};

export const factList: OperationCommand<FactListOutput> = {
  shortOptions: { limit: 'n' },
  commaLists: ['tags'],
  render: tables({ facts: 'key category trust stored_at expires_at value' }, NO_FACTS, 'total'),
};

export const factForget: OperationCommand<FactForgetOutput> = {
  operands: [KEY],
  render: ({ forgotten, facts }, view) =>
    tables({ facts: 'id key category' }, 'No fact matches; nothing was forgotten.')({ facts }, view) +
    (forgotten === 0
      ? ''
      : `Forgot ${formatCount(forgotten, 'fact')}; \`loci undelete ID\` restores one of them.\n`),
};

export const factCategories: OperationCommand<FactCategoriesOutput> = {
  render: tables({ categories: 'name count recent_keys' }, NO_FACTS),
};

export const corpus: OperationCommand<CorpusOutput> = {
  operands: [{ field: 'query', label: 'query', takes: 'words' }],
  shortOptions: { limit: 'n' },
  render: tables({ documents: 'docid score path snippet' }, 'There are no facts and no runs.'),
};
