import { type StepOutput, stepTarget } from '../../../engine/graph/graph-fields.ts';
import type { GraphPathOutput, GraphShowOutput } from '../../../engine/graph/show-nodes.ts';
import {
  type ModelResult,
  type OperationResult,
  tagFields,
  unknownLines,
  warningLines,
} from './model-result.ts';

type ShownNode = GraphShowOutput['nodes'][number];
type Node = Pick<ShownNode, 'id' | 'type' | 'title' | 'project'>;

export const graphShowResult: OperationResult = {
  resultOf: (output: GraphShowOutput): ModelResult => ({
    summary: [...warningLines(output), ...unknownLines(output.unknown)],
    fields: { nodes: output.nodes.map(shownNode) },
    writtenBy: 'others',
  }),
  types: { nodes: 'array' },
};

export const graphPathResult: OperationResult = {
  resultOf: (output: GraphPathOutput): ModelResult => {
    const { from, to, found, partial, steps, across_projects, unknown } = output;
    return {
      summary: [...warningLines(output), ...unknownLines(unknown)],
      fields: {
        from: from === null ? null : nodeFields(from),
        // Otherwise the last step has it.
        to: to === null || steps.length > 0 ? null : nodeFields(to),
        found,
        partial: partial ? true : null,
        steps: steps.map((step) => stepFields(step)),
        across_projects,
      },
      writtenBy: 'others',
    };
  },
  types: {
    ...{ from: 'object', to: 'object', found: 'boolean', partial: 'boolean' },
    ...{ steps: 'array', across_projects: 'object' },
  },
};

function shownNode(node: ShownNode): object {
  const { citation, tags, task, edges, not_shown, near } = node;
  const notShown = Object.entries(not_shown).filter(([, edgesLeftOut]) => edgesLeftOut > 0);
  return {
    ...nodeFields(node),
    citation,
    ...tagFields(tags),
    task,
    edges: edges.map(stepFields),
    not_shown: notShown.length === 0 ? null : Object.fromEntries(notShown),
    near:
      near.length === 0
        ? null
        : near.map(({ score, via, ...other }) => ({ ...nodeFields(other), score, via })),
  };
}

function nodeFields({ id, type, title, project }: Node): Node {
  return { id, type, title, project };
}

/** The node that an edge leads to, why, and where it says so. The node where the edge begins is the one before. */
function stepFields(step: StepOutput): object {
  const { type, direction, crosses_projects, reason, provenance } = step;
  const to = stepTarget(step);
  return {
    edge: direction === 'out' ? type : `${type}, against the edge`,
    ...{ id: to.id, title: to.title },
    project: crosses_projects ? to.project : null,
    reason,
    citation: provenance.citation,
  };
}
