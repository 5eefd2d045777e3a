import { z } from 'zod';
import { exportedEdge, exportedNode } from '../../graph/export-schema.ts';
import type { Operation } from '../operation.ts';
import { localPath } from '../../engine/fields/record-fields.ts';
import { readExport } from './read-export.ts';

const input = z.strictObject({
  before: localPath().describe('A file that `graph export` has written.'),
  after: localPath().describe('A later one.'),
});

const differenceOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    added: z.array(item),
    removed: z.array(item),
    changed: z.array(
      z.strictObject({
        before: item,
        after: item,
        fields: z.array(z.string()).describe('The fields that differ.'),
      }),
    ),
  });

const output = z.strictObject({ nodes: differenceOf(exportedNode), edges: differenceOf(exportedEdge) });
export type GraphDiffOutput = z.infer<typeof output>;

export const graphDiffOperation: Operation<typeof input, typeof output> = {
  name: 'graph-diff',
  title: 'Compare two exports of the graph',
  description:
    'Names the nodes and edges that were added, removed or changed between two exports of the graph.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  local: true,
  examples: [{ title: 'What changed since', input: { before: '~/monday.json', after: '~/friday.json' } }],
  run: async (_context, { before, after }) => {
    const { diffGraphs } = await import('../../graph/viewer/viewer-graph.ts');
    return output.parse(diffGraphs(await readExport(before), await readExport(after)));
  },
};
