import type { ComponentChildren, JSX } from 'preact';
import { Chip } from '../parts/chips.tsx';
import { useMemo, useState } from 'preact/hooks';
import './viewer.css';
import type { ViewerGraph } from '../../../src/graph/viewer/viewer-graph.ts';
import { GRAPH } from '../text/pages/graph.ts';
import { counted, t } from '../text/text.ts';
import { Canvas } from './canvas.tsx';
import type { Explored, Facets, FoundPath, NodeDetails } from './explored.ts';
import { Filters } from './filters.tsx';
import { canDraw } from './graph-canvas.ts';
import { Legend } from './legend.tsx';
import { Panel, PathSteps, type RecordLink } from './panel.tsx';
import { Table } from './table.tsx';

export interface ExplorerProps {
  /** What passes the filters. */
  readonly graph: ViewerGraph;
  /** Whether two exports are compared. */
  readonly compares: boolean;
  readonly facets: Facets;
  readonly explored: Explored;
  readonly onChange: (change: Partial<Explored>) => void;
  /** Of the selected node; undefined until they are there. */
  readonly details: NodeDetails | undefined;
  /** From the selected node to the target, if there is one. */
  readonly path: FoundPath | undefined;
  /** Sentences about what is shown and what is not. */
  readonly notes: ComponentChildren;
  readonly record?: RecordLink;
  /** Nodes of another path to emphasise. */
  readonly emphasised?: readonly string[];
  /** In place of the panel while no node is selected. */
  readonly aside?: ComponentChildren;
}

const NO_PATH: readonly string[] = [];

/** The graph as a drawing or a table, with filters, and with what is known about the selected node beside it. */
export function Explorer(props: ExplorerProps): JSX.Element {
  const { graph, compares, facets, explored, onChange, details, path, notes, record, emphasised, aside } =
    props;
  const { selected, target, view, search } = explored;
  const drawable = useMemo(canDraw, []);
  const node = selected === null ? undefined : graph.nodes.find(({ id }) => id === selected);
  const select = (id: string | null): void => onChange({ selected: id, target: null });
  const isEmpty = graph.nodes.length === 0;
  const pathNodes = path?.nodes ?? emphasised ?? NO_PATH;
  return (
    <div class="stack">
      <Filters facets={facets} explored={explored} onChange={onChange}>
        <div class="row" role="group" aria-label={t(GRAPH.shownAs)}>
          {(['graph', 'table'] as const).map((each) => (
            <Chip
              key={each}
              name={t(each === 'graph' ? GRAPH.asGraph : GRAPH.asTable)}
              isOn={(drawable ? view : 'table') === each}
              disabled={each === 'graph' && !drawable}
              onClick={() => onChange({ view: each })}
            />
          ))}
        </div>
      </Filters>
      <div class="graph-notes quiet-text" role="status">
        {notes}
      </div>
      {!drawable && <p class="label warn">{t(GRAPH.noWebgl)}</p>}
      {isEmpty ? (
        <div class="state">
          <h2>{t(GRAPH.nothingPasses)}</h2>
          <p>{t(GRAPH.nothingPassesHint)}</p>
        </div>
      ) : (
        <div class="graph-body">
          <div class="stack graph-main">
            {view === 'graph' && drawable ? (
              <>
                <Canvas
                  graph={graph}
                  compares={compares}
                  emphasis={{ selected, path: pathNodes }}
                  onSelect={select}
                />
                <Legend graph={graph} compares={compares} />
              </>
            ) : (
              <Table key={search} graph={graph} compares={compares} selected={selected} onSelect={select} />
            )}
          </div>
          {node === undefined ? (
            aside
          ) : (
            <Panel
              node={node}
              details={details}
              record={record}
              onSelect={select}
              onNear={(id) =>
                onChange({ around: [id], depth: 1, search: '', projects: [], types: [], tags: [], edges: [] })
              }
              path={
                target !== null && path !== undefined ? (
                  <>
                    <PathSteps title={t(GRAPH.pathTo)} path={path} record={record} onSelect={select} />
                    <button type="button" class="button small" onClick={() => onChange({ target: null })}>
                      {t(GRAPH.endPath)}
                    </button>
                  </>
                ) : (
                  <PathForm graph={graph} onTarget={(id) => onChange({ target: id })} />
                )
              }
            />
          )}
        </div>
      )}
    </div>
  );
}

interface PathFormProps {
  readonly graph: ViewerGraph;
  readonly onTarget: (name: string) => void;
}

/** Titles that are suggested. */
const MAX_SUGGESTIONS = 8;

function PathForm({ graph, onTarget }: PathFormProps): JSX.Element {
  const [name, setName] = useState('');
  const wanted = name.trim().toLowerCase();
  const suggestions = useMemo(
    () =>
      wanted === ''
        ? []
        : graph.nodes.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, MAX_SUGGESTIONS),
    [graph, wanted],
  );
  return (
    <form
      class="graph-path-form"
      onSubmit={(event) => {
        event.preventDefault();
        const known = suggestions.find(({ title }) => title.toLowerCase() === wanted);
        if (wanted !== '') onTarget(known?.id ?? name.trim());
      }}
    >
      <label class="field">
        {t(GRAPH.pathTo)}
        <input
          class="input"
          list="graph-titles"
          value={name}
          placeholder={t(GRAPH.pathPlaceholder)}
          autocomplete="off"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <datalist id="graph-titles">
        {suggestions.map(({ id, title }) => (
          <option key={id} value={title} />
        ))}
      </datalist>
      <button type="submit" class="button small" disabled={wanted === ''}>
        {t(GRAPH.findPath)}
      </button>
    </form>
  );
}

/** How many nodes and connections are shown. */
export function countsText(
  shown: ViewerGraph,
  all: { readonly nodes: number; readonly edges: number },
): string {
  const nodes =
    shown.nodes.length === all.nodes
      ? counted(GRAPH.nodes, all.nodes)
      : t(GRAPH.ofNodes, { shown: shown.nodes.length, all: all.nodes });
  const edges =
    shown.edges.length === all.edges
      ? counted(GRAPH.edges, all.edges)
      : t(GRAPH.ofEdges, { shown: shown.edges.length, all: all.edges });
  return `${nodes}, ${edges}`;
}
