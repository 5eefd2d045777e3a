import { graphStatus, graphStatusInput, graphStatusOutput } from '../../engine/graph/graph-status.ts';
import { graphIndex, graphIndexInput, graphIndexOutput } from '../../engine/packs/graph-index.ts';
import { graphPack, graphPackInput, graphPackOutput } from '../../engine/packs/graph-pack.ts';
import {
  graphConcepts,
  graphConceptsInput,
  graphConceptsOutput,
  graphConflicts,
  graphConflictsInput,
  graphConflictsOutput,
} from '../../engine/graph/concepts.ts';
import {
  graphShowInput,
  graphShowOutput,
  showNodes,
  findPath,
  graphPathInput,
  graphPathOutput,
} from '../../engine/graph/show-nodes.ts';
import { graphMap } from '../../engine/graph-map/graph-map.ts';
import { graphMapInput, graphMapOutput } from '../../engine/graph-map/map-fields.ts';
import {
  exportGraph,
  exportGraphPage,
  graphExportInput,
  graphExportOutput,
} from '../../engine/graph/export-graph.ts';
import { operation, withNames } from '../operation.ts';

export const graphOperations = withNames({
  'graph-status': operation({
    description: 'Shows how many nodes and edges the graph has, and whether it is up to date.',
    input: graphStatusInput,
    output: graphStatusOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [{ title: 'All projects', input: {} }],
    run: async (context, given) => graphStatus(await context.loci(), given),
  }),
  'graph-index': operation({
    description:
      'Returns a short index of what is remembered about something: the best notes, tasks and records with the reason for each, and ' +
      'what to look at next. `graph_pack` then gives summaries of those that matter.',
    input: graphIndexInput,
    output: graphIndexOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [
      { title: 'Before work on something', input: { query: 'kitchen remodel' } },
      { title: 'The three best, of one project', input: { query: 'oven', k: 3, project: 'home' } },
    ],
    run: async (context, given) => {
      const index = await graphIndex(await context.loci(), given, { signal: context.signal });
      return { ...index, receipt: given.trace === true ? index.receipt : null };
    },
  }),
  'graph-pack': operation({
    description:
      'Returns summaries of notes, tasks or records and of what is connected with them as one text within a budget of tokens, each with its ' +
      'citation and the reason why it is there.',
    input: graphPackInput,
    output: graphPackOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [
      { title: 'A note and what is around it', input: { nodes: ['Kitchen remodel'] } },
      {
        title: 'A note alone, with a part of its text',
        input: { nodes: ['Kitchen remodel'], depth: 0, mode: 'snippets' },
      },
    ],
    run: async (context, given) => {
      const pack = await graphPack(await context.loci(), given);
      return { ...pack, receipt: given.trace === true ? pack.receipt : null };
    },
  }),
  'graph-concepts': operation({
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    description:
      'Lists what notes are about: titles with their aliases, and the tags and capitalised or quoted phrases that two or more ' +
      'records share. Those that most records name come first.',
    input: graphConceptsInput,
    output: graphConceptsOutput,
    examples: [
      { title: 'All concepts', input: {} },
      { title: 'Those with a word in a name', input: { name: 'oven', project: 'kitchen' } },
    ],
    run: async (context, given) => graphConcepts(await context.loci(), given, context),
  }),
  'graph-conflicts': operation({
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    description:
      'Lists names that two or more notes have as a title or alias. Loci never takes such notes for one: change the aliases in ' +
      'the notes.',
    input: graphConflictsInput,
    output: graphConflictsOutput,
    examples: [{ title: 'In all projects', input: {} }],
    run: async (context, given) => graphConflicts(await context.loci(), given, context),
  }),
  'graph-show': operation({
    description: 'Shows notes, tasks, projects or tags with what they are connected to, and why.',
    input: graphShowInput,
    output: graphShowOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [
      { title: 'A note by its title', input: { nodes: ['Kitchen remodel'] } },
      { title: 'What two steps lead to', input: { nodes: ['Kitchen remodel'], depth: 2, k: 5 } },
    ],
    run: async (context, given) => showNodes(await context.loci(), given),
  }),
  'graph-path': operation({
    description:
      'Finds how two notes, tasks or tags are connected: the shortest path between them, and the reason for each of its steps.',
    input: graphPathInput,
    output: graphPathOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [{ title: 'Between two notes', input: { from: 'Kitchen budget', to: 'Contractor quotes' } }],
    run: async (context, given) => findPath(await context.loci(), given),
  }),
  'graph-map': operation({
    description:
      'Returns nodes with positions and the edges between them, as a viewer draws them: the most connected ones, or what is near some ' +
      'nodes. Up to 5,000 nodes and 20,000 edges.',
    input: graphMapInput,
    output: graphMapOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [
      { title: 'The decisions about the kitchen', input: { types: ['decision'], tags: ['kitchen'] } },
      { title: 'What two steps lead to', input: { around: ['Kitchen remodel'], depth: 2, edges: 50 } },
    ],
    run: async (context, given) => {
      const { signal, onProgress } = context;
      return graphMap(await context.loci(), given, { signal, onProgress });
    },
  }),
  'graph-export': operation({
    description:
      'Exports the nodes and edges of the graph, which are the same for the same notes on every machine. The command line writes ' +
      'one JSON file; elsewhere, the nodes come page by page, then the edges. docs/graph.schema.json describes the file.',
    input: graphExportInput,
    output: graphExportOutput,
    kind: 'read',
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
  }),
});

/** Each call of the system writes so much, UTF-16 code units. */
const MAX_PIECE_LENGTH = 65_536;
