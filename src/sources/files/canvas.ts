import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { isJsonMap } from '../../core/json.ts';
import type { Json } from '../../core/types.ts';

const text = z.string().optional().catch(undefined);
const position = z.number().catch(0);
const node = z.object({ x: position, y: position, text, file: text, subpath: text, url: text, label: text });
const edge = z.object({ label: text });

interface CanvasText {
  readonly text: string;
  /** Why a part of the canvas could not be read; `null` if all of it could. */
  readonly problem: string | null;
}

/**
 * The text of a canvas (JSON Canvas 1.0) as Markdown: its cards from top to bottom and from left to right, each a paragraph;
 * a card of a file is a link to it. The labels of groups and of the lines between cards are paragraphs too. Ids do not matter, since
 * the text has the label of a line whatever it connects.
 * @throws LociError `unreadable` if it is not JSON of this form
 */
export function canvasText(json: string): CanvasText {
  const problems: string[] = [];
  const { nodes, edges } = parseCanvas(json, problems);
  const cards = readAll('node', nodes, node, problems).toSorted((a, b) => a.y - b.y || a.x - b.x);
  const labels = readAll('edge', edges, edge, problems).map(({ label = '' }) => label);
  const text = [...cards.map(cardText), ...labels].filter((part) => part.trim() !== '').join('\n\n');
  const problem = problems.length === 0 ? null : `read without ${problems.join(' and ')}`;
  // A card is no front matter.
  return { text: /^(?:---|;;;|\+\+\+|\{)/.test(text) ? `\n${text}` : text, problem };
}

function parseCanvas(json: string, problems: string[]): { readonly [key: string]: Json } {
  // Obsidian writes an empty file for a new canvas.
  if (json.trim() === '') return {};
  let canvas: Json = null;
  let cause: unknown;
  try {
    canvas = JSON.parse(json) as Json;
  } catch (error) {
    cause = error;
    // A canvas that was cut off is not read in part: the record of the whole one stays until it is whole again.
    const end = error instanceof SyntaxError ? AFTER_JSON.exec(error.message)?.[1] : undefined;
    if (end !== undefined) {
      canvas = JSON.parse(json.slice(0, Number(end))) as Json;
      problems.push('what follows its JSON');
    }
  }
  if (isJsonMap(canvas)) return canvas;
  throw new LociError('unreadable', 'it is not a canvas in JSON', { cause });
}

const AFTER_JSON = /after JSON at position (\d+)/;

const MAX_NAMED = 5;

/** The valid values of a list, or of a map by id. The others are named by their places, from 1. */
function readAll<Value>(
  name: string,
  all: Json | undefined,
  schema: z.ZodType<Value>,
  problems: string[],
): Value[] {
  if (all === undefined || all === null) return [];
  if (typeof all !== 'object') {
    problems.push(`its ${name}s, which are no list`);
    return [];
  }
  const bad: number[] = [];
  const values = Object.values(all).flatMap((value, index) => {
    const { data } = schema.safeParse(value);
    if (data === undefined) bad.push(index + 1);
    return data ?? [];
  });
  const more = bad.length > MAX_NAMED ? ` and ${String(bad.length - MAX_NAMED)} more` : '';
  if (bad.length === 1) problems.push(`${name} ${String(bad[0])}, which is no object`);
  if (bad.length > 1)
    problems.push(`${name}s ${bad.slice(0, MAX_NAMED).join(', ')}${more}, which are no objects`);
  return values;
}

function cardText({ text, file, subpath = '', url, label }: z.infer<typeof node>): string {
  return text ?? (file === undefined ? undefined : `[[${file}${subpath}]]`) ?? url ?? label ?? '';
}
