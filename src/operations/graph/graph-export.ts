import { z } from 'zod';
import { exportedEdge, exportedNode } from '../../graph/export-schema.ts';
import type { Operation } from '../operation.ts';
import { projectField } from '../../engine/graph/graph-fields.ts';
import { exportGraphPage, exportGraph } from '../../engine/graph/export-graph.ts';

const input = z.strictObject({
  project: projectField(),
  after: z.string().max(200).exactOptional().describe('`next` of the previous page.'),
});

const output = z.strictObject({
  nodes: z.array(exportedNode),
  edges: z.array(exportedEdge),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
  complete: z
    .boolean()
    .describe(
      'False if the graph lacks something that follows from the records; on the first or the last page.',
    ),
  written: z.boolean().describe('Whether everything was written to standard output instead.'),
});
export type GraphExportOutput = z.infer<typeof output>;

export const graphExportOperation: Operation<typeof input, typeof output> = {
  name: 'graph-export',
  title: 'Export the graph',
  description:
    'Exports the nodes and edges of the graph, which are the same for the same notes on every machine. The command line writes ' +
    'one JSON file; elsewhere, the nodes come page by page, then the edges. docs/graph.schema.json describes the file.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  listedOnRequest: true,
  examples: [
    { title: 'All projects', input: {} },
    { title: 'One project', input: { project: 'home' } },
  ],
  run: async (context, { project, after }) => {
    const { machine, signal, onProgress } = context;
    const loci = await context.loci();
    const request = { signal, onProgress, ...(project !== undefined && { project }) };
    if (machine?.writeOutput === undefined || after !== undefined) {
      const { nodes, edges, next, complete } = await exportGraphPage(loci, request, after);
      return { nodes: [...nodes], edges: [...edges], next, complete, written: false };
    }
    let text = '';
    let complete = true;
    const onIncomplete = (): void => {
      complete = false;
    };
    for await (const piece of exportGraph(loci, { ...request, onIncomplete })) {
      text += piece;
      if (text.length < MAX_PIECE_LENGTH) continue;
      await machine.writeOutput(text);
      text = '';
    }
    await machine.writeOutput(text);
    return { nodes: [], edges: [], next: null, complete, written: true };
  },
};

/** Each call of the system writes so much, UTF-16 code units. */
const MAX_PIECE_LENGTH = 65_536;
