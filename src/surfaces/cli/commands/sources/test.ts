import { formatCount } from '../../../../core/text/format-count.ts';
import type { SourcesTestOutput, TestedDocument } from '../../../../operations/sources/test.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import { clip } from '../../format/text-width.ts';
import { durationText, localDate } from '../../format/times.ts';
import { indent, wrap } from '../../format/wrap.ts';
import type { OperationCommand, View } from '../operation-command.ts';

export const sourcesTest: OperationCommand<SourcesTestOutput> = {
  operands: [{ field: 'id', label: 'id', takes: 'one' }],
  shortOptions: { limit: 'n' },
  viewOptions: [{ name: 'full', description: 'whole texts, not only the beginning of each' }],
  render: (output, view) => {
    const { documents, total, printed, problems, stderr, took_ms } = output;
    const more = total - documents.length;
    const summary = `${formatCount(total, 'document')} of ${String(printed)} printed, in ${durationText(took_ms / 1000)}; nothing was stored.`;
    const blocks = documents.map((document) => documentBlock(document, view));
    const isCut = blocks.some(({ cut }) => cut);
    return [
      ...blocks.flatMap(({ lines }) => lines),
      ...(isCut ? [view.style.dim('… marks texts that were cut; --full shows them whole')] : []),
      ...(more === 0 ? [] : [view.style.dim(`… and ${String(more)} more; -n ${String(total)} shows all`)]),
      ...problems.map((problem) => view.style.warning(oneLine(problem))),
      ...(stderr === '' ? [] : [view.style.dim(`standard error: ${oneLine(stderr)}`)]),
      view.style.dim(summary),
      '',
    ].join('\n');
  },
};

interface DocumentBlock {
  readonly lines: readonly string[];
  /** Whether some text was cut. */
  readonly cut: boolean;
}

function documentBlock(document: TestedDocument, { style, columns, options }: View): DocumentBlock {
  const { id, title, text } = document;
  const repeatsTitle = title === null || title === '' || text.startsWith(title);
  const titleAndText = repeatsTitle ? text : `${title}: ${text}`;
  const details = detailsOf(document).join(' · ');
  if (options.has('full')) {
    const wrapped = (line: string): string[] => indent(wrap(line, columns - 2), '  ');
    const lines = [
      style.bold(oneLine(id)),
      ...escapeControl(titleAndText).split('\n').flatMap(wrapped),
      ...wrapped(oneLine(details)).map(style.dim),
    ];
    return { lines, cut: false };
  }
  const parts = [
    [oneLine(id), 40],
    [oneLine(titleAndText), columns - 42],
    [oneLine(details), columns - 2],
  ] as const;
  const [name = '', first = '', second = ''] = parts.map(([part, room]) => clip(part, room));
  return {
    lines: [`${style.bold(name)}  ${first}`, ...(second === '' ? [] : [style.dim(`  ${second}`)])],
    cut: parts.some(([part, room]) => clip(part, room) !== part),
  };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function detailsOf({ timestamp, completed, project, tags, metadata, url }: TestedDocument): string[] {
  return [
    ...(timestamp === null ? [] : [DAY.test(timestamp) ? timestamp : localDate(timestamp)]),
    ...(completed === null ? [] : [completed ? 'completed' : 'open']),
    ...(project === null ? [] : [`project ${project}`]),
    ...tags.map((tag) => `#${tag}`),
    ...Object.entries(metadata).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
    ...(url === null ? [] : [url]),
  ];
}
