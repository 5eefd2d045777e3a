import type { GraphIndexOutput } from '../../../engine/packs/graph-index.ts';
import type { GraphPackOutput } from '../../../engine/packs/graph-pack.ts';
import type { PackOutput } from '../../../engine/packs/memory-pack.ts';
import type { GetOutput } from '../../../engine/records/get.ts';
import { unmatchedMessages } from '../../../engine/records/results/search-messages.ts';
import type { ListOutput } from '../../../engine/records/list.ts';
import type { TimelineOutput } from '../../../engine/packs/timeline.ts';
import type { StartupTextOutput } from '../../../engine/startup/startup-fields.ts';
import { type TimelineLine, timelineText } from '../../../pack/timeline-text.ts';
import { withoutHidden } from '../../shared/escape-control.ts';
import {
  jsonText,
  type ModelResult,
  onOneLine,
  type OperationResult,
  provenance,
  provenanceFields,
  tagFields,
  tagLine,
  unknownLines,
  quotedName,
  urlLine,
  warningLines,
} from './model-result.ts';
import { type StepOutput, stepTarget } from '../../../engine/graph/graph-fields.ts';
import type { GraphPathOutput, GraphShowOutput } from '../../../engine/graph/show-nodes.ts';

export const getResult: OperationResult = {
  resultOf: (record: GetOutput): ModelResult => ({
    fields: fieldsOf(record),
    text: recordText(record),
    writtenBy: 'others',
  }),
  types: {
    citation: 'string',
    title: 'string',
    text: 'string',
    lines: 'string',
    ...{
      age: 'string',
      valid_until: 'string',
      trust: 'string',
      source: 'string',
      from: 'string',
      url: 'string',
      tags: 'array',
    },
  },
};

function fieldsOf(record: GetOutput): object {
  const { citation, title, text, lines, tags } = record;
  return {
    citation,
    title: title === '' ? null : title,
    text,
    lines: `${String(lines.from)}-${String(lines.to)} of ${String(lines.total)}`,
    ...provenanceFields(record),
    ...tagFields(tags),
  };
}

function recordText(record: GetOutput): string {
  const { citation, title, text, lines, tags } = record;
  const facts = [
    `citation: ${onOneLine(citation)}`,
    `lines ${String(lines.from)} to ${String(lines.to)} of ${String(lines.total)}`,
    ...provenance(record),
    ...tagLine(tags),
  ];
  const head = [...(title === '' ? [] : [onOneLine(title)]), facts.join(' · '), ...urlLine(record)];
  return `${head.join('\n')}\n\n${text}`;
}

export const listResult: OperationResult = {
  resultOf: ({ records, total, next, unmatched }: ListOutput): ModelResult => ({
    summary: unmatchedMessages(unmatched, quotedName),
    fields: {
      records: records.map(({ citation, title, age, trust, source, tags }) => ({
        ...{ citation, title, age, trust, source },
        ...tagFields(tags),
      })),
      total,
      next,
    },
    writtenBy: 'others',
  }),
  types: { records: 'array', total: 'integer', next: 'integer' },
};

type Entry = TimelineOutput['entries'][number];

/** One text, since the names of fields would take more than the records: its tokens were counted. */
export const timelineResult: OperationResult = {
  resultOf: (output: TimelineOutput): ModelResult => {
    const text = resultText(output);
    return { fields: { text }, text, writtenBy: 'fenced' };
  },
  types: { text: 'string' },
};

/** The text whose tokens the engine has counted. */
function resultText({ entries, more_before, more_after }: TimelineOutput): string {
  const at = (position: Entry['position']): TimelineLine[] =>
    entries.filter((entry) => entry.position === position).map(lineOf);
  return timelineText({
    before: at('before').toReversed(),
    anchor: at('anchor')[0] ?? null,
    after: at('after'),
    moreBefore: more_before,
    moreAfter: more_after,
  });
}

function lineOf({ when, title, origin, source, citation }: Entry): TimelineLine {
  return { when, title, from: origin === 'source' ? source : null, citation };
}

const NOTHING_NEW =
  'There is no startup text to read now: the user has written none for this agent, or this session has been given it before and ' +
  'it has not changed.';

/** The startup entries. They are instructions of the user for every agent, so that they are not fenced. */
export const startupResult: OperationResult = {
  resultOf: ({ text }: StartupTextOutput): ModelResult =>
    text === ''
      ? {
          summary: [NOTHING_NEW],
          fields: {},
          text: '',
          writtenBy: 'loci',
        }
      : { fields: { text }, text: withoutHidden(text), writtenBy: 'loci' },
  types: { text: 'string' },
};

type PackedOutput = PackOutput | GraphIndexOutput | GraphPackOutput;

/**
 * A text within a budget of tokens. It has the citations of what is in it, and is fenced already. The result has no duration, so that
 * prompt caches stay valid.
 */
export const packResult: OperationResult = {
  resultOf: packedResult,
  types: { text: 'string', receipt: 'object' },
};

function packedResult(output: PackedOutput): ModelResult {
  const { text, empty, receipt } = output;
  return {
    summary: [...gapsOf(output), ...(empty === null ? [] : [`Nothing to show: ${empty}.`])],
    fields: { text: empty === null ? text : null, receipt },
    text: [
      ...(empty === null ? [text] : []),
      ...(receipt === null ? [] : [`Receipt: ${jsonText(receipt)}`]),
    ].join('\n'),
    writtenBy: 'fenced',
  };
}

/** Warnings that something which was asked for is not in the text. */
function gapsOf(output: PackedOutput): string[] {
  const unknown = 'unknown' in output ? output.unknown : [];
  return [...warningLines(output), ...unknownLines(unknown)];
}

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
    const { from, to, found, partial, steps, unknown } = output;
    return {
      summary: [...warningLines(output), ...unknownLines(unknown)],
      fields: {
        from: from === null ? null : nodeFields(from),
        // Otherwise the last step has it.
        to: to === null || steps.length > 0 ? null : nodeFields(to),
        found,
        partial: partial ? true : null,
        steps: steps.map((step) => stepFields(step)),
      },
      writtenBy: 'others',
    };
  },
  types: {
    ...{ from: 'object', to: 'object', found: 'boolean', partial: 'boolean' },
    steps: 'array',
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
