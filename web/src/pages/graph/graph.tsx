import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { useRequest } from '../../api/use-request.ts';
import { Page } from '../../parts/page.tsx';
import { Message, PlainText } from '../../parts/plain-text.tsx';
import { Empty, Failure, Loaded, Skeleton } from '../../parts/states.tsx';
import { href, Link, navigate, type PageProps } from '../../router.tsx';
import { GRAPH } from '../../text/pages/graph.ts';
import { counted, t } from '../../text/text.ts';
import { type Explored, exploredOf, MAX_NODES, NODES_AT_ONCE, queryOf } from '../../viewer/explored.ts';
import { countsText, Explorer } from '../../viewer/explorer.tsx';
import { PathSteps, type RecordLink } from '../../viewer/panel.tsx';
import { ComparePage } from './compare.tsx';
import { SHELL } from '../../text/shell.ts';
import { detailsOf, findPath, type LoadedMap, loadMap, receiptPath } from './requests.ts';

/** How long to wait after a key, in milliseconds. */
const TYPING_MS = 150;

const RecordAnchor: RecordLink = ({ record, children }) => (
  <Link to={href(`/record/${String(record)}`)}>{children}</Link>
);

/** The graph of the memory, or two exports of it, compared. */
export function GraphPage(props: PageProps): JSX.Element {
  return props.rest === 'compare' ? <ComparePage {...props} /> : <MemoryGraph query={props.query} />;
}

function MemoryGraph({ query }: Pick<PageProps, 'query'>): JSX.Element {
  const explored = exploredOf(query);
  const [receipt, item] = [query.get('receipt'), query.get('item')];
  const { selected, target, around, depth, nodes, search, projects, types, tags, edges } = explored;
  const change = (next: Partial<Explored>): void => {
    const isTyping = Object.keys(next).join() === 'search';
    const kept = { receipt: receipt ?? undefined, item: item ?? undefined };
    navigate(href('/graph', { ...queryOf({ ...explored, ...next }), ...kept }), { replace: isTyping });
  };
  const given = useRequest(
    async (signal) => (receipt === null || item === null ? undefined : receiptPath(receipt, item, signal)),
    [receipt, item],
  );
  const path = useRequest(
    async (signal) => (selected === null || target === null ? undefined : findPath(selected, target, signal)),
    [selected, target],
  );
  // What a path leads through is shown with what is near it, because it may be no part of the view.
  const onPath = path.data?.nodes ?? given.data?.nodes ?? [];
  const centres = around.length > 0 ? around : onPath;
  const wanted = { search: search.trim(), projects, types, tags, edges, around: centres, depth, nodes };
  const isReady = !given.loading && !path.loading;
  const map = useRequest(
    async (signal) => (isReady ? loadMap(wanted, signal) : undefined),
    [wanted, isReady],
    search === '' ? 0 : TYPING_MS,
  );
  const details = useRequest(
    async (signal) =>
      selected === null ? undefined : { id: selected, ...(await detailsOf(selected, signal)) },
    selected,
  );
  const select = (id: string | null): void => change({ selected: id, target: null });
  const aside = given.data !== undefined && (
    <aside class="card graph-panel" aria-label={t(GRAPH.receiptTitle)}>
      {given.data.isDirect || given.data.isMissing ? (
        <>
          <h2>{t(GRAPH.receiptTitle)}</h2>
          <p>{t(given.data.isMissing ? GRAPH.receiptMissing : GRAPH.receiptDirect)}</p>
        </>
      ) : (
        <PathSteps title={t(GRAPH.receiptTitle)} path={given.data} record={RecordAnchor} onSelect={select} />
      )}
      <div>
        <Link class="button small" to={href(`/receipts/${String(receipt)}`)}>
          {t(GRAPH.toReceipt)}
        </Link>
      </div>
    </aside>
  );
  return (
    <Page
      title={t(SHELL.graph)}
      about={t(GRAPH.about)}
      actions={
        <Link class="button" to={href('/graph/compare')}>
          {t(GRAPH.compare)}
        </Link>
      }
    >
      {[given, path].map(
        ({ error, reload }, i) => error !== undefined && <Failure key={i} error={error} onRetry={reload} />,
      )}
      <Loaded request={map} loading={<Waiting />}>
        {(found) =>
          found === undefined ? (
            <Waiting />
          ) : found.totals.graph_nodes === 0 ? (
            <Empty title={t(GRAPH.empty)}>
              <p>{t(GRAPH.emptyHint)}</p>
            </Empty>
          ) : (
            <Explorer
              graph={found.graph}
              compares={false}
              facets={found.facets}
              explored={explored}
              onChange={(next) => change(withCentre(next, found))}
              details={details.data?.id === selected ? details.data : undefined}
              path={path.data}
              emphasised={given.data?.nodes ?? []}
              notes={<Notes found={found} explored={explored} onChange={change} />}
              record={RecordAnchor}
              aside={aside}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

/** A node that is selected in a list of connections may be no part of the view: then it is shown with what is near it. */
function withCentre(next: Partial<Explored>, { graph }: LoadedMap): Partial<Explored> {
  const { selected } = next;
  if (typeof selected !== 'string' || graph.nodes.some(({ id }) => id === selected)) return next;
  return { ...next, around: [selected], depth: 1, search: '', projects: [], types: [], tags: [], edges: [] };
}

/** The first positions of a large graph take a while. */
function Waiting(): JSX.Element {
  return (
    <div class="stack">
      <p class="quiet-text">{t(GRAPH.laysOut)}</p>
      <Skeleton lines={8} />
    </div>
  );
}

interface NotesProps {
  readonly found: LoadedMap;
  readonly explored: Explored;
  readonly onChange: (change: Partial<Explored>) => void;
}

const DEPTHS = [1, 2, 3, 4, 5];

/** What is shown, and what is not. */
function Notes({ found, explored, onChange }: NotesProps): JSX.Element {
  const { graph, totals, notices } = found;
  const { around, depth, nodes } = explored;
  const centre = useMemo(() => graph.nodes.find(({ id }) => id === around[0]), [graph, around[0]]);
  const hasMore = totals.nodes > graph.nodes.length;
  return (
    <>
      {around.length > 0 && (
        <>
          <span>
            {around.length > 1 ? t(GRAPH.nearSeveral, { n: around.length }) : t(GRAPH.near, { title: '' })}
            {around.length === 1 && <PlainText text={centre?.title ?? around[0]!} />}
          </span>
          <label>
            {t(GRAPH.depth)}{' '}
            <select
              value={depth}
              onChange={({ currentTarget }) => onChange({ depth: Number(currentTarget.value) })}
            >
              {DEPTHS.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          </label>
          <button type="button" class="button small" onClick={() => onChange({ around: [] })}>
            {t(GRAPH.wholeGraph)}
          </button>
        </>
      )}
      <span>{countsText(graph, totals)}</span>
      {hasMore && around.length === 0 && <span>{t(GRAPH.mostConnected)}</span>}
      {hasMore && nodes < MAX_NODES && (
        <button
          type="button"
          class="button small"
          onClick={() => onChange({ nodes: Math.min(MAX_NODES, nodes + NODES_AT_ONCE) })}
        >
          {t(GRAPH.moreNodes)}
        </button>
      )}
      {graph.edges.length < totals.edges && <span>{t(GRAPH.heaviest)}</span>}
      {totals.across_projects > 0 && <span>{counted(GRAPH.acrossProjects, totals.across_projects)}</span>}
      {notices.map((notice) => (
        <span key={notice}>
          <Message text={notice} />
        </span>
      ))}
    </>
  );
}
