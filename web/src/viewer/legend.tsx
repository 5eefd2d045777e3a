import type { JSX } from 'preact';
import type { ViewerGraph } from '../../../src/graph/viewer/viewer-graph.ts';
import { GRAPH } from '../text/pages/graph.ts';
import { t } from '../text/text.ts';
import { typeName } from './filters.tsx';
import { CHANGE_LOOKS, type NodeShape, TYPE_LOOKS } from './look.ts';

interface LegendProps {
  readonly graph: ViewerGraph;
  readonly compares: boolean;
}

/** What the colours and shapes of the drawing mean, as far as they occur. */
export function Legend({ graph, compares }: LegendProps): JSX.Element {
  const looks: Readonly<Record<string, readonly [token: string, shape: NodeShape]>> = compares
    ? CHANGE_LOOKS
    : TYPE_LOOKS;
  const present = new Set<string>(
    graph.nodes.map(({ type, change }) => (compares ? (change ?? 'same') : type)),
  );
  return (
    <ul class="graph-legend" aria-label={t(GRAPH.legend)}>
      {Object.entries(looks).map(
        ([name, [token, shape]]) =>
          present.has(name) && (
            <li key={name}>
              <Shape token={token} shape={shape} />
              {typeName(name)}
            </li>
          ),
      )}
    </ul>
  );
}

const POINTS: Readonly<Record<Exclude<NodeShape, 'circle'>, string>> = {
  square: '1,1 11,1 11,11 1,11',
  diamond: '6,0 12,6 6,12 0,6',
  triangle: '6,0.5 12,11 0,11',
};

export function Shape({ token, shape }: { readonly token: string; readonly shape: NodeShape }): JSX.Element {
  return (
    <svg class="graph-shape" viewBox="0 0 12 12" aria-hidden="true" style={{ fill: `var(--${token})` }}>
      {shape === 'circle' ? <circle cx="6" cy="6" r="5.5" /> : <polygon points={POINTS[shape]} />}
    </svg>
  );
}
