import { formatCount } from '../../../../core/text/format-count.ts';
import type {
  ConceptChangeOutput,
  ConceptOutput,
  MadeChangeOutput,
  ConceptChangesOutput,
  ConceptConflictsOutput,
  ConceptListOutput,
  ConceptShowOutput,
} from '../../../../engine/graph/concepts/concept-fields.ts';
import { oneLine } from '../../../shared/escape-control.ts';
import { clip } from '../../format/text-width.ts';
import { ageText } from '../../format/times.ts';
import { indent, wrap } from '../../format/wrap.ts';
import type { OperationCommand, View } from '../operation-command.ts';

const CONCEPT = { field: 'concept', label: 'concept', takes: 'one' } as const;

export const conceptList: OperationCommand<ConceptListOutput> = {
  operands: [{ field: 'name', label: 'name', takes: 'words' }],
  shortOptions: { limit: 'n' },
  isLong: true,
  render: ({ concepts, total, next }, view) => {
    if (concepts.length === 0) return 'There are no such concepts.\n';
    const lines = concepts.flatMap((concept) => conceptLines(concept, view));
    const shown = `${String(concepts.length)} of ${formatCount(total, 'concept')}`;
    const rest = next === null ? [] : ['', view.style.dim(`${shown}; \`--after ${next}\` shows the next.`)];
    return `${[...lines, ...rest].join('\n')}\n`;
  },
};

function conceptLines(
  { id, label, project, names, notes }: ConceptOutput,
  { style, columns }: View,
): string[] {
  const details = [id, oneLine(project), ...(notes.length === 0 ? [] : [formatCount(notes.length, 'note')])];
  const others = names.map(({ name }) => oneLine(name)).filter((name) => name !== oneLine(label));
  return [
    style.bold(clip(oneLine(label), columns)),
    ...indent([style.dim(clip(details.join(' · '), columns - 2))], '  '),
    ...(others.length === 0 ? [] : indent(wrap(`also: ${others.join(', ')}`, columns - 2), '  ')),
  ];
}

export const conceptShow: OperationCommand<ConceptShowOutput> = {
  operands: [CONCEPT],
  isLong: true,
  render: ({ concept, notes, mentioned_in, disputed, changes }, view) => {
    const section = (heading: string, lines: readonly string[]): string[] =>
      lines.length === 0 ? [] : ['', heading, ...indent([...lines], '  ')];
    const cited = ({ citation, title }: { citation: string; title: string }): string =>
      clip(`${oneLine(title)}  ${view.style.dim(oneLine(citation))}`, view.columns - 2);
    return `${[
      ...conceptLines(concept, view),
      ...section('notes', notes.map(cited)),
      ...section('named in', mentioned_in.map(cited)),
      ...section('names that other notes have too', disputed.map(oneLine)),
      ...section(
        'changes',
        changes.flatMap((change) => changeLines(change, view)),
      ),
    ].join('\n')}\n`;
  },
};

export const conceptConflicts: OperationCommand<ConceptConflictsOutput> = {
  isLong: true,
  shortOptions: { limit: 'n' },
  render: ({ conflicts, next }, { style, columns }) => {
    if (conflicts.length === 0) return 'No name is a title or alias of two notes.\n';
    const lines = conflicts.flatMap(({ name, project, notes }) => [
      `${style.bold(clip(oneLine(name), columns))} ${style.dim(oneLine(project))}`,
      ...indent(
        notes.map(({ concept, citation, title }) =>
          clip(`${concept}  ${oneLine(title)}  ${style.dim(oneLine(citation))}`, columns - 2),
        ),
        '  ',
      ),
    ]);
    return `${[...lines, ...nextPage(next, style)].join('\n')}\n`;
  },
};

/** How to get the next page, if there is one. */
function nextPage(next: number | null, style: View['style']): string[] {
  return next === null ? [] : ['', style.dim(`\`--after ${String(next)}\` shows the next.`)];
}

export const conceptChanges: OperationCommand<ConceptChangesOutput> = {
  isLong: true,
  shortOptions: { limit: 'n' },
  render: ({ changes, next }, view) =>
    changes.length === 0
      ? 'Nobody has changed a concept.\n'
      : `${[...changes.flatMap((change) => changeLines(change, view)), ...nextPage(next, view.style)].join('\n')}\n`,
};

function changeLines(change: ConceptChangeOutput, { style, columns }: View): string[] {
  const { id, kind, at, actor, surface, what, undone_by, no_effect } = change;
  const state =
    undone_by === null ? (no_effect === null ? '' : ` · no effect: ${oneLine(no_effect)}`) : ' · undone';
  const by = `${id} · ${ageText(at, Date.now())} by ${oneLine(actor)} (${oneLine(surface)})${state}`;
  return [
    `${style.bold(kind)} ${clip(oneLine(what), columns - kind.length - 1)}`,
    ...indent(wrap(by, columns - 2), '  '),
  ];
}

const renderMade: OperationCommand<MadeChangeOutput>['render'] = ({ made, change, concepts }, view) => {
  const done = { merge: 'Merged', split: 'Split', rename: 'Renamed', undo: 'Undone' }[change.kind];
  const lines = concepts.flatMap((concept) => conceptLines(concept, view));
  const first = made
    ? `${done}. \`loci concept undo ${change.id}\` reverses it.`
    : 'Nothing is changed. There would be:';
  return `${[first, ...lines].join('\n')}\n`;
};

export const conceptMerge: OperationCommand<MadeChangeOutput> = {
  operands: [
    { field: 'into', label: 'into', takes: 'one' },
    { field: 'from', label: 'from', takes: 'list' },
  ],
  isLong: true,
  render: renderMade,
};

export const conceptSplit: OperationCommand<MadeChangeOutput> = {
  operands: [CONCEPT, { field: 'names', label: 'name', takes: 'list' }],
  isLong: true,
  render: renderMade,
};

export const conceptRename: OperationCommand<MadeChangeOutput> = {
  operands: [CONCEPT, { field: 'label', label: 'label', takes: 'words' }],
  isLong: true,
  render: renderMade,
};

export const conceptUndo: OperationCommand<MadeChangeOutput> = {
  operands: [{ field: 'change', label: 'change', takes: 'one' }],
  isLong: true,
  render: renderMade,
};
