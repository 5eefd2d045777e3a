import {
  exportGraph,
  exportGraphPage,
  graphExportInput,
  graphExportOutput,
} from '../../engine/graph/export-graph.ts';
import type { Operation } from '../operation.ts';

export const graphExportOperation: Operation<typeof graphExportInput, typeof graphExportOutput> = {
  name: 'graph-export',
  title: 'Export the graph',
  description:
    'Exports the nodes and edges of the graph, which are the same for the same notes on every machine. The command line writes ' +
    'one JSON file; elsewhere, the nodes come page by page, then the edges. docs/graph.schema.json describes the file.',
  input: graphExportInput,
  output: graphExportOutput,
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
    if (machine?.writeOutput === undefined || after !== undefined)
      return exportGraphPage(loci, request, after);
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
