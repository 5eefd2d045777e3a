import type { CorpusOutput } from '../../../operations/facts/corpus.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { clip } from '../format/text-width.ts';
import { indent, wrap } from '../format/wrap.ts';
import type { OperationCommand } from './operation-command.ts';

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
