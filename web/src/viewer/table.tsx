import type { ComponentChildren, JSX } from 'preact';
import { Chip } from '../parts/chips.tsx';
import { useState } from 'preact/hooks';
import type { ViewerEdge, ViewerGraph, ViewerNode } from '../../../src/graph/viewer/viewer-graph.ts';
import { PlainText } from '../parts/plain-text.tsx';
import { GRAPH } from '../text/pages/graph.ts';
import { formatNumber, t, type Text } from '../text/text.ts';
import { typeName } from './filters.tsx';
import { CHANGE_LOOKS, TYPE_LOOKS } from './look.ts';
import { FILTERS, SHELL } from '../text/shell.ts';
import { Shape } from './legend.tsx';

interface TableProps {
  readonly graph: ViewerGraph;
  readonly compares: boolean;
  readonly selected: string | null;
  readonly onSelect: (id: string) => void;
}

const ROWS = 50;

/** The data of the drawing: nodes and connections, sorted and in pages. */
export function Table(props: TableProps): JSX.Element {
  const [lists, setLists] = useState<'nodes' | 'edges'>('nodes');
  return (
    <div class="stack">
      <div class="row" role="group" aria-label={t(GRAPH.asTable)}>
        {(['nodes', 'edges'] as const).map((each) => (
          <Chip
            key={each}
            name={t(each === 'nodes' ? GRAPH.tableNodes : GRAPH.connections)}
            count={props.graph[each].length}
            isOn={lists === each}
            onClick={() => setLists(each)}
          />
        ))}
      </div>
      {lists === 'nodes' ? <NodeRows {...props} /> : <EdgeRows {...props} />}
    </div>
  );
}

interface Column<Row> {
  readonly name: Text;
  readonly value: (row: Row) => string | number;
  readonly show: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
}

function NodeRows({ graph, compares, selected, onSelect }: TableProps): JSX.Element {
  const title: Column<ViewerNode> = {
    name: SHELL.title,
    value: ({ title }) => title,
    show: ({ id, title, type, change }) => {
      const [token, shape] = compares ? CHANGE_LOOKS[change ?? 'same'] : TYPE_LOOKS[type];
      return (
        <button type="button" class="graph-pick" aria-pressed={id === selected} onClick={() => onSelect(id)}>
          <Shape token={token} shape={shape} />
          <PlainText text={title} />
        </button>
      );
    },
  };
  const columns: Column<ViewerNode>[] = [
    title,
    { name: FILTERS.type, value: ({ type }) => typeName(type), show: ({ type }) => typeName(type) },
    {
      name: FILTERS.project,
      value: ({ project }) => project,
      show: ({ project }) => <PlainText text={project} />,
    },
    {
      name: GRAPH.columnTags,
      value: ({ tags }) => tags.join(' '),
      show: ({ tags }) => <PlainText text={tags.join(', ')} />,
    },
    {
      name: GRAPH.connections,
      value: ({ degree }) => degree,
      show: ({ degree }) => formatNumber(degree),
      isNumber: true,
    },
    ...(compares ? [changeColumn<ViewerNode>()] : []),
  ];
  return <Rows rows={graph.nodes} columns={columns} keyOf={({ id }) => id} first={compares ? 5 : 4} />;
}

function changeColumn<Row extends Pick<ViewerNode, 'change'>>(): Column<Row> {
  const order = ['removed', 'changed', 'added'];
  return {
    name: GRAPH.columnChange,
    value: ({ change }) => order.indexOf(change ?? ''),
    show: ({ change }) => typeName(change ?? 'same'),
    isNumber: true,
  };
}

function EdgeRows({ graph, compares, onSelect }: TableProps): JSX.Element {
  const { nodes } = graph;
  const end = (name: Text, of: 'src' | 'dst'): Column<ViewerEdge> => ({
    name,
    value: (edge) => nodes[edge[of]]!.title,
    show: (edge) => (
      <button type="button" class="graph-pick" onClick={() => onSelect(nodes[edge[of]]!.id)}>
        <PlainText text={nodes[edge[of]]!.title} />
      </button>
    ),
  });
  const columns: Column<ViewerEdge>[] = [
    end(FILTERS.from, 'src'),
    { name: GRAPH.edgeTypes, value: ({ type }) => typeName(type), show: ({ type }) => typeName(type) },
    end(GRAPH.columnTo, 'dst'),
    {
      name: GRAPH.columnReason,
      value: ({ reason }) => reason ?? '',
      show: ({ reason }) => <PlainText text={reason ?? ''} />,
    },
    ...(compares ? [changeColumn<ViewerEdge>()] : []),
  ];
  const keyOf = ({ src, dst, type }: ViewerEdge): string => `${String(src)} ${type} ${String(dst)}`;
  return <Rows rows={graph.edges} columns={columns} keyOf={keyOf} first={compares ? 4 : null} />;
}

interface RowsProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** The column by which the rows are sorted first, descending; `null` keeps their order. */
  readonly first: number | null;
}

const TEXTS = new Intl.Collator(undefined, { numeric: true });

function Rows<Row>({ rows, columns, keyOf, first }: RowsProps<Row>): JSX.Element {
  const [sort, setSort] = useState<{ readonly column: number | null; readonly descends: boolean }>({
    column: first,
    descends: true,
  });
  const [start, setStart] = useState(0);
  const column = sort.column === null ? undefined : columns[sort.column];
  const sorted = column === undefined ? rows : [...rows].sort(comparison(column, sort.descends));
  const from = start < sorted.length ? start : 0;
  const shown = sorted.slice(from, from + ROWS);
  return (
    <>
      <div class="table-frame">
        <table class="table">
          <thead>
            <tr>
              {columns.map(({ name, isNumber }, i) => (
                <th
                  key={name.en}
                  scope="col"
                  class={isNumber === true ? 'number' : undefined}
                  aria-sort={sort.column !== i ? 'none' : sort.descends ? 'descending' : 'ascending'}
                >
                  <button
                    type="button"
                    onClick={() => {
                      setSort({
                        column: i,
                        descends: sort.column === i ? !sort.descends : isNumber === true,
                      });
                      setStart(0);
                    }}
                  >
                    {t(name)}{' '}
                    {sort.column === i && <span aria-hidden="true">{sort.descends ? '↓' : '↑'}</span>}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ name, show, isNumber }) => (
                  <td key={name.en} class={isNumber === true ? 'number' : undefined}>
                    {show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sorted.length > ROWS && (
        <nav class="row" aria-label={t(GRAPH.asTable)}>
          <button
            type="button"
            class="button small"
            disabled={from === 0}
            onClick={() => setStart(from - ROWS)}
          >
            {t(GRAPH.previous)}
          </button>
          <span class="quiet-text" role="status">
            {t(GRAPH.rows, { from: from + 1, to: from + shown.length, all: sorted.length })}
          </span>
          <button
            type="button"
            class="button small"
            disabled={from + ROWS >= sorted.length}
            onClick={() => setStart(from + ROWS)}
          >
            {t(GRAPH.next)}
          </button>
        </nav>
      )}
    </>
  );
}

function comparison<Row>({ value }: Column<Row>, descends: boolean): (a: Row, b: Row) => number {
  return (a, b) => {
    const [x, y] = [value(a), value(b)];
    const order =
      typeof x === 'number' && typeof y === 'number' ? x - y : TEXTS.compare(String(x), String(y));
    return descends ? -order : order;
  };
}
