import type { Change, ViewerEdge, ViewerNode } from '../../../src/graph/viewer/viewer-graph.ts';

export type NodeShape = 'circle' | 'square' | 'diamond' | 'triangle';

/** How a node is drawn. */
export interface Look {
  color: string;
  shape: NodeShape;
  size: number;
}

/** The token and the shape of each type of node. */
export const TYPE_LOOKS: Readonly<Record<ViewerNode['type'], readonly [token: string, shape: NodeShape]>> = {
  note: ['data-1', 'circle'],
  task: ['data-2', 'square'],
  decision: ['data-3', 'circle'],
  event: ['data-4', 'circle'],
  concept: ['data-5', 'diamond'],
  project: ['data-6', 'triangle'],
  report: ['data-7', 'circle'],
  link: ['data-8', 'circle'],
  record: ['fg-3', 'circle'],
};

/** The same for what differs between two exports, in colour and in shape. */
export const CHANGE_LOOKS: Readonly<Record<Change | 'same', readonly [token: string, shape: NodeShape]>> = {
  added: ['good', 'triangle'],
  removed: ['bad', 'square'],
  changed: ['warn', 'diamond'],
  same: ['border-strong', 'circle'],
};

const MAX_SIZE = 14;

/** @param palette which also says whether two exports are compared */
export function nodeLook(node: ViewerNode, palette: Palette): Look {
  const [token, shape] = palette.compares ? CHANGE_LOOKS[node.change ?? 'same'] : TYPE_LOOKS[node.type];
  // What has changed is seen at once.
  const more = palette.compares && node.change !== undefined ? 4 : 0;
  const size = Math.min(MAX_SIZE, 3 + Math.sqrt(node.degree) + more);
  return { color: palette.colour(token), shape, size };
}

export function edgeColour({ change }: ViewerEdge, palette: Palette): string {
  return palette.colour(change === undefined ? 'border-strong' : CHANGE_LOOKS[change][0]);
}

/** The colours of the tokens, as the canvas takes them. It follows the appearance of the page. */
export class Palette {
  compares = false;
  readonly #probe: HTMLElement;
  readonly #colours = new Map<string, string>();
  readonly #system = window.matchMedia('(prefers-color-scheme: dark)');
  readonly #observer: MutationObserver;
  #listener = (): void => undefined;

  constructor(element: HTMLElement) {
    this.#probe = element.ownerDocument.createElement('span');
    element.append(this.#probe);
    this.#observer = new MutationObserver(this.#changed);
    this.#observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.#system.addEventListener('change', this.#changed);
  }

  get font(): string {
    return getComputedStyle(this.#probe).fontFamily;
  }

  /** The value of a token, such as `fg`. */
  colour(token: string): string {
    const known = this.#colours.get(token);
    if (known !== undefined) return known;
    this.#probe.style.color = `var(--${token})`;
    const { color } = getComputedStyle(this.#probe);
    this.#colours.set(token, color);
    return color;
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  close(): void {
    this.#observer.disconnect();
    this.#system.removeEventListener('change', this.#changed);
    this.#probe.remove();
  }

  readonly #changed = (): void => {
    this.#colours.clear();
    this.#listener();
  };
}
