import type { CorpusOutput } from '../../../operations/facts/corpus.ts';
import { escapeControl, oneLine } from '../../shared/escape-control.ts';
import { clip } from '../format/text-width.ts';
import { indent, wrap } from '../format/wrap.ts';
import type { Renderer } from './operation-command.ts';

/** Lines of a snippet that are shown. */
const LINES = 4;

export const corpusRenderer: Renderer<CorpusOutput> = {
  render: ({ documents }, { style, columns }) => {
    if (documents.length === 0) return 'There are no facts and no runs to give.\n';
    const blocks = documents.map(({ path, docid, score, snippet }) => {
      const lines = escapeControl(snippet)
        .split('\n')
        .flatMap((line) => wrap(line, columns - 2));
      const more = lines.length > LINES ? [style.dim('…')] : [];
      return [
        style.bold(clip(oneLine(path), columns)),
        style.dim(`${oneLine(docid)} · score ${score.toFixed(2)}`),
        ...indent([...lines.slice(0, LINES), ...more], '  '),
      ].join('\n');
    });
    return `${blocks.join('\n\n')}\n`;
  },
};
