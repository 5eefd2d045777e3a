import { propertiesOf } from '../../../../engine/records/properties.ts';
import type { GetOutput } from '../../../../operations/records/get.ts';
import { escapeControl, oneLine } from '../../../shared/escape-control.ts';
import { clip } from '../../format/text-width.ts';
import { wrap } from '../../format/wrap.ts';
import { originOf } from './provenance.ts';
import type { Renderer, View } from '../operation-command.ts';

export const getRenderer: Renderer<GetOutput> = { render: renderGet };

function renderGet(output: GetOutput, view: View): string {
  if (!view.options.has('plain')) return renderNumbered(output, view);
  // Into a file or a pipe the text goes as it is.
  return `${view.terminal ? escapeControl(output.text) : output.text}\n`;
}

function renderNumbered(output: GetOutput, view: View): string {
  const { lines, text } = output;
  const { style } = view;
  const digits = String(lines.to).length;
  const numbered = escapeControl(text)
    .split('\n')
    .map((line, i) => `${style.dim(`${String(lines.from + i).padStart(digits)} │`)} ${line}`.trimEnd());
  return `${[...header(output, view), '', ...numbered].join('\n')}\n`;
}

function header(output: GetOutput, { style, columns }: View): string[] {
  const { title, lines, path, tags, age, created_at, id, project, from, url } = output;
  const name = oneLine(title === '' ? `record ${String(id)}` : title);
  const facts = [
    from === null ? `From ${originOf(output)}` : oneLine(from),
    `${created_at.slice(0, 10)} (${age})`,
    `project ${oneLine(project)}`,
    partOf(lines),
  ];
  const links = linksOf(output).join(', ');
  // The note's beginning shows them itself.
  const properties = propertiesOf(output.metadata).map(oneLine).join(' · ');
  return [
    style.bold(clip(name, columns)),
    // A fact is called what it is kept under.
    ...(path === null || path === title ? [] : [style.link(oneLine(path))]),
    clip(facts.join(' · '), columns),
    ...labelled('url', oneLine(url ?? ''), columns),
    ...labelled('tags', tags.map((tag) => `#${oneLine(tag)}`).join(' '), columns),
    ...labelled('links', links, columns),
    ...(lines.from === 1 ? [] : labelled('properties', properties, columns)),
  ];
}

function partOf({ from, to, total }: GetOutput['lines']): string {
  if (from === 1 && to === total) return total === 1 ? '1 line' : `${String(total)} lines`;
  const lines = from === to ? `line ${String(from)}` : `lines ${String(from)}–${String(to)}`;
  return `${lines} of ${String(total)}`;
}

/** Long lists of links say little: three lines of them. */
const LINES = 3;

function labelled(label: string, text: string, columns: number): string[] {
  if (text === '') return [];
  const lines = wrap(`${label}: ${text}`, columns);
  return lines.length > LINES
    ? [...lines.slice(0, LINES - 1), clip(`${lines[LINES - 1] ?? ''} …`, columns)]
    : lines;
}

/** What a note links to; a link that leads nowhere is said to. */
function linksOf({ links }: GetOutput): string[] {
  return links.map(({ target, path }) =>
    path === null ? `${oneLine(target)} (no such note)` : oneLine(target),
  );
}
