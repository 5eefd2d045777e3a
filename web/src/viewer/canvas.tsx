import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ViewerGraph } from '../../../src/graph/viewer/viewer-graph.ts';
import { GRAPH } from '../text/pages/graph.ts';
import { counted, t } from '../text/text.ts';
import { type Emphasis, GraphCanvas } from './graph-canvas.ts';

interface CanvasProps {
  readonly graph: ViewerGraph;
  readonly compares: boolean;
  readonly emphasis: Emphasis;
  readonly onSelect: (id: string | null) => void;
}

const CLOSER = 0.67;
const STEP = 0.15;
const KEYS: Readonly<Record<string, (canvas: GraphCanvas) => void>> = {
  ArrowLeft: (canvas) => canvas.pan(-STEP, 0),
  ArrowRight: (canvas) => canvas.pan(STEP, 0),
  ArrowUp: (canvas) => canvas.pan(0, STEP),
  ArrowDown: (canvas) => canvas.pan(0, -STEP),
  '+': (canvas) => canvas.zoom(CLOSER),
  '-': (canvas) => canvas.zoom(1 / CLOSER),
  '0': (canvas) => canvas.fit(),
};

/** The drawing. Whoever cannot see it has the table. */
export function Canvas({ graph, compares, emphasis, onSelect }: CanvasProps): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const canvas = useRef<GraphCanvas | null>(null);
  const select = useRef(onSelect);
  select.current = onSelect;
  useEffect(() => {
    const made = new GraphCanvas(element.current!, (id) => select.current(id));
    canvas.current = made;
    return () => made.close();
  }, []);
  const { selected, path } = emphasis;
  useEffect(
    () => canvas.current?.show(graph, { selected, path }, compares),
    [graph, selected, path.join(' '), compares],
  );
  useEffect(() => {
    if (selected !== null) canvas.current?.reveal(selected);
  }, [selected]);
  const labels = {
    nodes: counted(GRAPH.nodes, graph.nodes.length),
    edges: counted(GRAPH.edges, graph.edges.length),
  };
  return (
    <div class="graph-frame">
      <div
        ref={element}
        class="graph-canvas"
        role="img"
        tabIndex={0}
        aria-label={t(GRAPH.canvas, labels)}
        aria-describedby="graph-keys"
        onKeyDown={(event) => {
          const run = KEYS[event.key];
          if (run === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          if (canvas.current !== null) run(canvas.current);
        }}
      />
      <div class="graph-buttons">
        <button
          type="button"
          class="button small"
          aria-label={t(GRAPH.zoomIn)}
          title={t(GRAPH.zoomIn)}
          onClick={() => canvas.current?.zoom(CLOSER)}
        >
          +
        </button>
        <button
          type="button"
          class="button small"
          aria-label={t(GRAPH.zoomOut)}
          title={t(GRAPH.zoomOut)}
          onClick={() => canvas.current?.zoom(1 / CLOSER)}
        >
          −
        </button>
        <button type="button" class="button small" onClick={() => canvas.current?.fit()}>
          {t(GRAPH.fit)}
        </button>
      </div>
      <p id="graph-keys" class="visually-hidden">
        {t(GRAPH.canvasKeys)}
      </p>
    </div>
  );
}
