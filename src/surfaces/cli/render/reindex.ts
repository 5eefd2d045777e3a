import type { ReindexOutput } from '../../../operations/reindex.ts';
import { duration } from '../progress.ts';
import type { Renderer } from './renderer.ts';

export const reindexRenderer: Renderer<ReindexOutput> = {
  render: ({ records, embedded, seconds }) =>
    `Rebuilt ${String(records)} ${records === 1 ? 'record' : 'records'}, embedded ${String(embedded)} ` +
    `${embedded === 1 ? 'text' : 'texts'}, in ${duration(seconds)}.\n`,
};
