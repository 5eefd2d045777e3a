import Graph from 'graphology';
import { layerFill, sdfCircle, sdfDiamond, sdfSquare, sdfTriangle } from 'sigma/rendering';
import {
  apart,
  type ViewerEdge,
  type ViewerGraph,
  type ViewerNode,
} from '../../../src/graph/viewer/viewer-graph.ts';
import { edgeColour, type Look, nodeLook, Palette } from './look.ts';

import Sigma, { DEFAULT_STYLES } from 'sigma';

/** What is drawn in front of the rest. */
export interface Emphasis {
  /** The id of the selected node, with its neighbours. */
  readonly selected: string | null;
  /** The ids of the nodes of a path, in order. */
  readonly path: readonly string[];
}

interface NodeAttributes extends Look {
  x: number;
  y: number;
  label: string;
  opacity: number;
  /** Whether the label is shown whatever the room. */
  named: boolean;
  front: boolean;
}

interface EdgeAttributes {
  color: string;
  size: number;
  opacity: number;
  front: boolean;
}

/** The part of Sigma that chooses the labels. */
interface LabelRenderer {
  displayedNodeLabels: Set<string>;
  computeDisplayedNodeLabels: () => void;
}

const MAX_LABEL_LENGTH = 40;
/** Pixels. */
const [LABEL_SIZE, LABEL_HEIGHT] = [12, 16];
/** More nodes than these are smaller, so that they do not cover each other. */
const MANY_NODES = 150;
/** Of what is not emphasised while something is. */
const FAINT = 0.15;
const EDGE_OPACITY = 0.45;
/** A graph with more nodes and edges is not drawn in each frame of a movement. */
const MAX_MOVING = 4000;

/** Whether the browser can draw with WebGL 2. */
export function canDraw(): boolean {
  return document.createElement('canvas').getContext('webgl2') !== null;
}

/** Draws a graph in an element. Nothing is drawn again unless something changes. */
export class GraphCanvas {
  readonly #graph = new Graph<NodeAttributes, EdgeAttributes>({ multi: true });
  readonly #sigma: Sigma<NodeAttributes, EdgeAttributes>;
  readonly #palette: Palette;
  readonly #drag: PictureDrag;
  #shown: ViewerGraph = { nodes: [], edges: [] };
  #emphasis: Emphasis = { selected: null, path: [] };
  readonly #isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;

  /** @param onSelect called with the id of a node that was clicked, or `null` for the background */
  constructor(element: HTMLElement, onSelect: (id: string | null) => void) {
    this.#palette = new Palette(element);
    this.#sigma = new Sigma(this.#graph, element, {
      primitives: {
        nodes: { shapes: [sdfCircle(), sdfSquare(), sdfDiamond(), sdfTriangle()], layers: [layerFill()] },
      },
      settings: {
        // A page that embeds the graph must not scroll instead.
        gestureTarget: 'graph',
        hideEdgesOnMove: false,
        enableEdgeEvents: false,
        labelDensity: 0.5,
        labelGridCellSize: 160,
        labelRenderedSizeThreshold: 5,
        itemSizesReference: 'screen',
        zoomToSizeRatioFunction: Math.sqrt,
        minCameraRatio: 0.01,
        maxCameraRatio: 4,
        stagePadding: 48,
      },
      styles: {
        nodes: [
          DEFAULT_STYLES.nodes,
          {
            shape: { attribute: 'shape' },
            opacity: { attribute: 'opacity', defaultValue: 1 },
            labelColor: () => this.#palette.colour('fg'),
            labelFont: () => this.#palette.font,
            labelSize: LABEL_SIZE,
            labelVisibility: (attributes, state) =>
              attributes.named || state.isHovered ? 'visible' : 'auto',
            backdropColor: () => this.#palette.colour('surface'),
            backdropShadowBlur: 0,
            depth: (attributes, state) => (attributes.front || state.isHovered ? 'topNodes' : 'nodes'),
          },
        ],
        edges: [
          DEFAULT_STYLES.edges,
          {
            opacity: { attribute: 'opacity', defaultValue: 1 },
            depth: (attributes) => (attributes.front ? 'topEdges' : 'edges'),
          },
        ],
      },
    });
    this.#keepLabelsApart();
    const click = (id: string | null): void => {
      if (!this.#drag.wasDragged()) onSelect(id);
    };
    this.#sigma.on('clickNode', ({ node }) => click(node));
    this.#sigma.on('clickStage', () => click(null));
    this.#palette.onChange(() => this.#draw());
    this.#drag = dragAsPicture(this.#sigma as unknown as Sigma, () => this.#isLarge);
  }

  /** Replaces what is drawn. The view stays where it is. @param compares whether colours and shapes say what has changed */
  show(shown: ViewerGraph, emphasis: Emphasis, compares: boolean): void {
    this.#shown = shown;
    this.#emphasis = emphasis;
    this.#palette.compares = compares;
    this.#sigma.setSettings({
      enableCameraPanning: !this.#isLarge,
      zoomDuration: this.#motion().duration,
    });
    this.#draw();
  }

  /** The whole graph. */
  fit(): void {
    void this.#sigma.getCamera().animate({ x: 0.5, y: 0.5, ratio: 1, angle: 0 }, this.#motion());
  }

  /** @param factor less than 1 to come closer */
  zoom(factor: number): void {
    const camera = this.#sigma.getCamera();
    const ratio = Math.min(4, Math.max(0.01, camera.getState().ratio * factor));
    void camera.animate({ ratio }, this.#motion());
  }

  /** Moves the view by shares of its width and height. */
  pan(x: number, y: number): void {
    const camera = this.#sigma.getCamera();
    const state = camera.getState();
    void camera.animate({ x: state.x + x * state.ratio, y: state.y + y * state.ratio }, this.#motion());
  }

  /** Brings a node into the middle if it is not in sight. */
  reveal(id: string): void {
    if (!this.#graph.hasNode(id)) return;
    // The positions in the view follow from the graph as it was drawn last.
    this.#sigma.refresh();
    const { x, y } = this.#graph.getNodeAttributes(id);
    const place = this.#sigma.graphToViewport({ x, y });
    const { width, height } = this.#sigma.getDimensions();
    if (place.x > 0 && place.y > 0 && place.x < width && place.y < height) return;
    void this.#sigma.getCamera().animate(this.#sigma.graphToFramedGraph({ x, y }), this.#motion());
  }

  close(): void {
    this.#drag.close();
    this.#palette.close();
    this.#sigma.kill();
  }

  /**
   * Sigma chooses labels by the cells of a grid, and lets those of two cells lie on each other. It has no setting for that, so that its
   * choice is corrected where it makes it.
   */
  #keepLabelsApart(): void {
    const { labelRenderer } = this.#sigma as unknown as { readonly labelRenderer: LabelRenderer };
    const choose = labelRenderer.computeDisplayedNodeLabels.bind(labelRenderer);
    const context = document.createElement('canvas').getContext('2d')!;
    labelRenderer.computeDisplayedNodeLabels = () => {
      choose();
      context.font = `${String(LABEL_SIZE)}px ${this.#palette.font}`;
      const shown = [...labelRenderer.displayedNodeLabels].map((id) => {
        const { x, y, label, size, named } = this.#graph.getNodeAttributes(id);
        const place = this.#sigma.graphToViewport({ x, y });
        const left = place.x + this.#sigma.scaleSize(size);
        const box = { left, top: place.y, width: context.measureText(label).width, height: LABEL_HEIGHT };
        return { id, rank: named ? Infinity : size, ...box };
      });
      const ids = apart(shown.sort((a, b) => b.rank - a.rank)).map(({ id }) => id);
      labelRenderer.displayedNodeLabels = new Set(ids);
    };
  }

  get #isLarge(): boolean {
    return this.#shown.nodes.length + this.#shown.edges.length > MAX_MOVING;
  }

  #motion(): { duration: number } {
    return { duration: this.#isStill || this.#isLarge ? 0 : 240 };
  }

  #draw(): void {
    const { nodes, edges } = this.#shown;
    const near = this.#nearEmphasised();
    const steps = new Set(this.#emphasis.path.slice(1).map((id, i) => pairOf(this.#emphasis.path[i]!, id)));
    // A change of the whole graph is one event, where a change of each node would be many.
    const drawn = new Graph<NodeAttributes, EdgeAttributes>({ multi: true });
    for (const node of nodes) drawn.addNode(node.id, this.#nodeAttributes(node, near));
    for (const edge of edges) {
      const [src, dst] = [nodes[edge.src]!.id, nodes[edge.dst]!.id];
      if (src !== dst) drawn.addEdge(src, dst, this.#edgeAttributes(edge, src, dst, steps));
    }
    this.#graph.clear();
    this.#graph.import(drawn);
  }

  /** The emphasised nodes and their neighbours; `null` if none is. */
  #nearEmphasised(): ReadonlySet<string> | null {
    const { selected, path } = this.#emphasis;
    const { nodes, edges } = this.#shown;
    const own = new Set([...path, ...(selected === null ? [] : [selected])]);
    if (!nodes.some(({ id }) => own.has(id))) return null;
    const near = new Set(own);
    for (const { src, dst } of edges) {
      const [from, to] = [nodes[src]!.id, nodes[dst]!.id];
      if (from === selected) near.add(to);
      if (to === selected) near.add(from);
    }
    return near;
  }

  #nodeAttributes(node: ViewerNode, near: ReadonlySet<string> | null): NodeAttributes {
    const { selected, path } = this.#emphasis;
    const isNamed = node.id === selected || path.includes(node.id);
    const look = nodeLook(node, this.#palette);
    const size = look.size * Math.min(1, Math.sqrt(MANY_NODES / this.#shown.nodes.length));
    return {
      ...look,
      size: isNamed ? size + 3 : size,
      x: node.x,
      // The y axis of the canvas leads upwards, that of the layout downwards.
      y: -node.y,
      label: shortLabel(node.title),
      opacity: near === null || near.has(node.id) ? 1 : FAINT,
      named: isNamed,
      front: near?.has(node.id) === true,
    };
  }

  #edgeAttributes(edge: ViewerEdge, src: string, dst: string, steps: ReadonlySet<string>): EdgeAttributes {
    const { selected, path } = this.#emphasis;
    const isStep = steps.has(pairOf(src, dst));
    const isFront = isStep || src === selected || dst === selected;
    const isQuiet = (selected !== null || path.length > 0) && !isFront;
    return {
      color: isFront ? this.#palette.colour('accent') : edgeColour(edge, this.#palette),
      size: (isStep ? 3 : 0.5) + edge.weight,
      opacity: isFront ? 1 : isQuiet ? FAINT : EDGE_OPACITY,
      front: isFront,
    };
  }
}

function pairOf(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

/** Without characters that change the direction of what follows; see `PlainText`. */
function shortLabel(title: string): string {
  const plain = title.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const letters = [...plain.slice(0, 4 * MAX_LABEL_LENGTH)];
  return letters.length <= MAX_LABEL_LENGTH ? plain : `${letters.slice(0, MAX_LABEL_LENGTH - 1).join('')}…`;
}

/** Pixels after which a press becomes a drag. */
const MIN_DRAG = 3;

interface PictureDrag {
  /** Whether the last press was a drag, and no click. */
  wasDragged(): boolean;
  close(): void;
}

/**
 * Drags the drawing of a large graph as a picture, and draws it anew when it is released. To draw each frame would take too long where no
 * graphics processor helps.
 */
function dragAsPicture(sigma: Sigma, isOn: () => boolean): PictureDrag {
  const element = sigma.getContainer();
  const picture = sigma.getStageCanvas();
  let start: { readonly x: number; readonly y: number } | null = null;
  let moved = { x: 0, y: 0 };
  let wasDragged = false;
  const press = (event: PointerEvent): void => {
    wasDragged = false;
    if (event.button === 0 && isOn()) start = { x: event.clientX, y: event.clientY };
  };
  const move = (event: PointerEvent): void => {
    if (start === null) return;
    // Otherwise the node below the pointer would be looked for, which takes as long as to draw.
    event.stopPropagation();
    moved = { x: event.clientX - start.x, y: event.clientY - start.y };
    if (Math.hypot(moved.x, moved.y) >= MIN_DRAG) wasDragged = true;
    if (wasDragged) picture.style.transform = `translate(${String(moved.x)}px, ${String(moved.y)}px)`;
  };
  const release = (): void => {
    if (start === null) return;
    start = null;
    picture.style.transform = '';
    if (!wasDragged) return;
    const { width, height } = sigma.getDimensions();
    const centre = { x: width / 2 - moved.x, y: height / 2 - moved.y };
    sigma.getCamera().setState(sigma.viewportToFramedGraph(centre));
  };
  const capture = { capture: true };
  element.addEventListener('pointerdown', press, capture);
  window.addEventListener('pointermove', move, capture);
  window.addEventListener('pointerup', release, capture);
  return {
    wasDragged: () => wasDragged,
    close: () => {
      element.removeEventListener('pointerdown', press, capture);
      window.removeEventListener('pointermove', move, capture);
      window.removeEventListener('pointerup', release, capture);
    },
  };
}
