import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ViewerGraph } from '../../../src/graph/viewer/viewer-graph.ts';
import { GRAPH } from '../text/pages/graph.ts';
import { t } from '../text/text.ts';
import { connectionsOf, type Explored, facetsOf, filtered, foldedText, pathWithin } from './explored.ts';
import { countsText, Explorer } from './explorer.tsx';

interface ExportExplorerProps {
  /** The whole graph. */
  readonly graph: ViewerGraph;
  readonly compares: boolean;
  readonly explored: Explored;
  readonly onChange: (change: Partial<Explored>) => void;
}

/** A graph that is here as a whole, such as that of an export. It asks nobody for anything. */
export function ExportExplorer({ graph, compares, explored, onChange }: ExportExplorerProps): JSX.Element {
  const { selected, target } = explored;
  const facets = useMemo(() => facetsOf(graph), [graph]);
  const shown = useMemo(() => filtered(graph, explored), [graph, JSON.stringify({ ...explored, selected: null, target: null })]); // prettier-ignore
  const details = useMemo(
    () => (selected === null ? undefined : { place: null, connections: connectionsOf(graph, selected), further: 0, notices: [] }), // prettier-ignore
    [graph, selected],
  );
  const path = useMemo(
    () => (selected === null || target === null ? undefined : pathTo(graph, selected, target)),
    [graph, selected, target],
  );
  return (
    <Explorer
      graph={shown}
      compares={compares}
      facets={facets}
      explored={explored}
      onChange={onChange}
      details={details}
      path={path}
      notes={
        <>
          {compares && <Changes graph={graph} />}
          {explored.around.length > 0 && (
            <button type="button" class="button small" onClick={() => onChange({ around: [] })}>
              {t(GRAPH.wholeGraph)}
            </button>
          )}
          <span>{countsText(shown, { nodes: graph.nodes.length, edges: graph.edges.length })}</span>
        </>
      }
    />
  );
}

function Changes({ graph }: { readonly graph: ViewerGraph }): JSX.Element {
  const counts = useMemo(() => {
    const all = [...graph.nodes, ...graph.edges].map(({ change }) => change);
    const count = (wanted: 'added' | 'removed' | 'changed'): number =>
      all.filter((each) => each === wanted).length;
    return { added: count('added'), removed: count('removed'), changed: count('changed') };
  }, [graph]);
  const isSame = counts.added + counts.removed + counts.changed === 0;
  return <span>{isSame ? t(GRAPH.compareSame) : t(GRAPH.compareCounts, counts)}</span>;
}

/** The path to a node by its id or its title. */
function pathTo(graph: ViewerGraph, from: string, name: string): ReturnType<typeof pathWithin> {
  const folded = foldedText(name);
  const found = graph.nodes.find(({ id }) => id === name) ?? graph.nodes.find(({ title }) => foldedText(title) === folded); // prettier-ignore
  if (found !== undefined) return pathWithin(graph, from, found.id);
  return { nodes: [], steps: [], from: '', notices: [t(GRAPH.noSuchNode)] };
}
