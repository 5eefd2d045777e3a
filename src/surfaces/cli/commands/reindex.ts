import { counted } from '../../../core/text/counted.ts';
import type { ReindexOutput } from '../../../operations/health/reindex.ts';
import { duration } from '../format/progress-display.ts';
import { problemLines } from '../format/lists.ts';
import type { Renderer } from './operation-command.ts';

export const reindexRenderer: Renderer<ReindexOutput> = {
  render: ({ records, problems, embedded, took_ms }, view) =>
    problemLines(problems, view)
      .map((line) => `${line}\n`)
      .join('') +
    `Rebuilt ${counted(records, 'record')}, embedded ${counted(embedded, 'text')}, in ${duration(took_ms / 1000)}.\n`,
};
