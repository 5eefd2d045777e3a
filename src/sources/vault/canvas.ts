import { z } from 'zod';
import { LociError } from '../../core/errors.ts';

const node = z.object({
  id: z.string(),
  x: z.number().catch(0),
  y: z.number().catch(0),
  text: z.string().optional().catch(undefined),
  file: z.string().optional().catch(undefined),
  subpath: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
  label: z.string().optional().catch(undefined),
});
const edge = z.object({ label: z.string().optional().catch(undefined) });
const canvas = z.object({ nodes: z.array(node).catch([]), edges: z.array(edge).catch([]) });

/**
 * The text of a canvas (JSON Canvas 1.0) as Markdown: its cards from top to bottom and from left to right, each a paragraph;
 * a card of a file is a link to it. The labels of groups and of the lines between cards are paragraphs too.
 * @throws LociError `unreadable` if it is not JSON of this form
 */
export function canvasText(json: string): string {
  const { nodes, edges } = parseCanvas(json);
  const cards = nodes.toSorted((a, b) => a.y - b.y || a.x - b.x).map(cardText);
  const labels = edges.map(({ label = '' }) => label);
  const text = [...cards, ...labels].filter((part) => part.trim() !== '').join('\n\n');
  // A card is no front matter.
  return /^(?:---|;;;|\+\+\+|\{)/.test(text) ? `\n${text}` : text;
}

function parseCanvas(json: string): z.infer<typeof canvas> {
  try {
    // Obsidian writes an empty file for a new canvas.
    return canvas.parse(json.trim() === '' ? {} : JSON.parse(json));
  } catch (error) {
    throw new LociError('unreadable', 'it is not a canvas in JSON', { cause: error });
  }
}

function cardText({ text, file, subpath = '', url, label }: z.infer<typeof node>): string {
  return text ?? (file === undefined ? undefined : `[[${file}${subpath}]]`) ?? url ?? label ?? '';
}
