import { counted } from '../../../../core/text/counted.ts';
import { LociError } from '../../../../core/errors.ts';
import type { RefreshedSource, SourcesRefreshOutput } from '../../../../operations/sources/refresh.ts';
import type { SourcesTestOutput, TestedDocument } from '../../../../operations/sources/test.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import { duration } from '../../format/progress-display.ts';
import { clip } from '../../format/text-width.ts';
import { localDay } from '../../format/times.ts';
import { indent, wrap } from '../../format/wrap.ts';
import type { Renderer, View } from '../operation-command.ts';

const SHOWN = 10;

export const sourcesRefreshRenderer: Renderer<SourcesRefreshOutput> = {
  failure: ({ sources }) => {
    const errors = sources.flatMap(({ id, error }) => (error === undefined ? [] : [{ ...error, id }]));
    const [first] = errors;
    if (first === undefined) return null;
    const message = errors.map((error) => named(error.id, error.message)).join('\n');
    return new LociError(first.code, message, {
      hint: [...new Set(errors.map(({ hint }) => hint))].join('\n'),
    });
  },
  render: ({ sources, took_ms }, view) => {
    if (sources.length === 0)
      return 'No sources to refresh: docs/sources.md says how a command becomes one. `loci index` reads vaults.\n';
    const done = sources.filter(({ error }) => error === undefined);
    if (done.length === 0) return '';
    const lines = done.flatMap((source) => [
      refreshedLine(source, view),
      ...problemLines(source.problems, view),
    ]);
    return [...lines, view.style.dim(`Done in ${duration(took_ms / 1000)}.`), ''].join('\n');
  },
};

/** Which source it is about, where it does not say so itself. */
function named(id: string, message: string): string {
  return message.includes(id) ? message : `${id}: ${message}`;
}

function refreshedLine(source: RefreshedSource, { style }: View): string {
  const counts = [
    [source.added, 'added'],
    [source.updated, 'updated'],
    [source.removed, 'removed'],
    [source.unchanged, 'unchanged'],
    [source.over_cap, 'left out: more than maxDocuments'],
  ] as const;
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${String(count)} ${what}`);
  if (source.kept > 0)
    told.push(`nothing printed; ${counted(source.kept, 'document')} are kept until that happens again`);
  return `${style.bold(oneLine(source.name))}: ${told.length === 0 ? 'no documents' : told.join(', ')}`;
}

function problemLines(problems: readonly string[], { style, options }: View): string[] {
  const shown = options.has('verbose') ? problems : problems.slice(0, SHOWN);
  const more = problems.length - shown.length;
  const lines = shown.map((problem) => `  ${style.warning(oneLine(problem))}`);
  return more > 0 ? [...lines, style.dim(`  … and ${String(more)} more; --verbose lists them all`)] : lines;
}

export const sourcesTestRenderer: Renderer<SourcesTestOutput> = {
  render: (output, view) => {
    const { documents, total, printed, problems, stderr, took_ms } = output;
    const more = total - documents.length;
    const end = `${counted(total, 'document')} of ${String(printed)} printed, in ${duration(took_ms / 1000)}; nothing was stored.`;
    const shown = documents.map((document) => shownDocument(document, view));
    const isCut = shown.some(({ cut }) => cut);
    return [
      ...shown.flatMap(({ lines }) => lines),
      ...(isCut ? [view.style.dim('… stands where a text goes on; --full shows them whole')] : []),
      ...(more === 0
        ? []
        : [view.style.dim(`… and ${String(more)} more; -n ${String(total)} shows them all`)]),
      ...problems.map((problem) => view.style.warning(oneLine(problem))),
      ...(stderr === '' ? [] : [view.style.dim(`it said: ${oneLine(stderr)}`)]),
      view.style.dim(end),
      '',
    ].join('\n');
  },
};

interface Shown {
  readonly lines: readonly string[];
  /** Whether there is more of it. */
  readonly cut: boolean;
}

function shownDocument(document: TestedDocument, { style, columns, options }: View): Shown {
  const { id, title, text } = document;
  const repeats = title === null || title === '' || text.startsWith(title);
  const said = repeats ? text : `${title}: ${text}`;
  const facts = factsOf(document).join(' · ');
  if (options.has('full')) {
    const wrapped = (written: string): string[] => indent(wrap(written, columns - 2), '  ');
    const lines = [
      style.bold(oneLine(id)),
      ...escapeControl(said).split('\n').flatMap(wrapped),
      ...wrapped(oneLine(facts)).map(style.dim),
    ];
    return { lines, cut: false };
  }
  const parts = [
    [oneLine(id), 40],
    [oneLine(said), columns - 42],
    [oneLine(facts), columns - 2],
  ] as const;
  const [name = '', first = '', second = ''] = parts.map(([written, room]) => clip(written, room));
  return {
    lines: [`${style.bold(name)}  ${first}`, ...(second === '' ? [] : [style.dim(`  ${second}`)])],
    cut: parts.some(([written, room]) => clip(written, room) !== written),
  };
}

function factsOf({ timestamp, completed, project, tags, metadata, url }: TestedDocument): string[] {
  return [
    ...(timestamp === null ? [] : [localDay(timestamp)]),
    ...(completed === null ? [] : [completed ? 'done' : 'open']),
    ...(project === null ? [] : [`project ${project}`]),
    ...tags.map((tag) => `#${tag}`),
    ...Object.entries(metadata).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
    ...(url === null ? [] : [url]),
  ];
}
