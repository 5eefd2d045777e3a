import { z } from 'zod';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expandHome } from '../../config/paths.ts';
import { LociError } from '../../core/errors.ts';
import { describeFileError } from '../../core/fs/file-errors.ts';
import { exportedEdge, exportedNode, exportSchema, type ExportedGraph } from '../../graph/export-schema.ts';
import type { Operation } from '../operation.ts';
import { localPath } from '../../engine/fields/record-fields.ts';

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
    const { diffGraphs } = await import('../../graph/diff.ts');
    const { nodes, edges } = diffGraphs(await readExport(before), await readExport(after));
    return output.parse({ nodes, edges });
  },
};

/** @throws LociError `unreadable`; `invalid_input` for a file that is no export of a graph */
async function readExport(given: string): Promise<ExportedGraph> {
  const path = resolve(expandHome(given));
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new LociError('unreadable', `${path}: ${describeFileError(error)}`);
  }
  const parsed = exportSchema.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`;
  throw new LociError('invalid_input', `${path} is no export of a graph${where}`, {
    hint: '`loci graph export > FILE` writes one.',
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
