import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ExportedGraph } from '../../../../src/graph/export-schema.ts';
import { forceSteps } from '../../../../src/graph/layout/force-steps.ts';
import type { LayoutOptions } from '../../../../src/graph/layout/layout.ts';
import { type ViewerGraph, viewExport } from '../../../../src/graph/viewer/viewer-graph.ts';
import { Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/states.tsx';
import { href, Link, navigate, type PageProps } from '../../router.tsx';
import { GRAPH } from '../../text/pages/graph.ts';
import { formatBytes, t } from '../../text/text.ts';
import { exploredOf, queryOf } from '../../viewer/explored.ts';
import { ExportExplorer } from '../../viewer/export-explorer.tsx';

const MAX_FILE_BYTES = 100_000_000;

type Side = 'before' | 'after';

/** Compares two exports that the reader chooses. They are read by the browser, and sent nowhere. */
export function ComparePage({ query }: PageProps): JSX.Element {
  const [files, setFiles] = useState<Partial<Record<Side, ExportedGraph>>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [view, setView] = useState<ViewerGraph | null>(null);
  const { before, after } = files;
  const explored = exploredOf(query);
  useEffect(() => {
    setView(null);
    if (before === undefined || after === undefined) return undefined;
    const controller = new AbortController();
    void viewExport(after, before, inTurns(controller.signal)).then(setView, () => undefined);
    return () => controller.abort();
  }, [before, after]);
  const choose = async (side: Side, file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    const read = await readExport(file);
    setProblem(typeof read === 'string' ? read : null);
    if (typeof read !== 'string') setFiles((known) => ({ ...known, [side]: read }));
  };
  return (
    <Page
      title={t(GRAPH.compare)}
      about={t(GRAPH.compareAbout)}
      actions={
        <Link class="button" to={href('/graph')}>
          {t(GRAPH.backToGraph)}
        </Link>
      }
    >
      <div class="row">
        {(['before', 'after'] as const).map((side) => (
          <label key={side} class="field">
            {t(side === 'before' ? GRAPH.compareBefore : GRAPH.compareAfter)}
            <input
              type="file"
              class="input"
              accept=".json,application/json"
              onChange={({ currentTarget }) => void choose(side, currentTarget.files?.[0])}
            />
          </label>
        ))}
      </div>
      {problem !== null && (
        <p class="label bad" role="alert">
          {problem}
        </p>
      )}
      {view === null && before !== undefined && after !== undefined && <Skeleton lines={8} />}
      {view !== null && (
        <ExportExplorer
          graph={view}
          compares
          explored={explored}
          onChange={(change) =>
            navigate(href('/graph/compare', queryOf({ ...explored, ...change })), { replace: true })
          }
        />
      )}
    </Page>
  );
}

/** The layout in this thread, one step in each turn, so that the page stays usable. */
function inTurns(signal: AbortSignal): LayoutOptions {
  const yieldToEventLoop = (): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve);
    });
  return {
    yieldToEventLoop,
    move: async (nodes, edges, steps) => {
      for (let step = 0; step < steps; step++) {
        signal.throwIfAborted();
        forceSteps(nodes, edges, 1);
        await yieldToEventLoop();
      }
      return nodes;
    },
  };
}

/** An export, or what is wrong with the file. */
async function readExport(file: File): Promise<ExportedGraph | string> {
  const { name, size } = file;
  if (size > MAX_FILE_BYTES) return t(GRAPH.compareTooLarge, { name, size: formatBytes(MAX_FILE_BYTES) });
  const parsed: unknown = await file
    .text()
    .then((text) => JSON.parse(text) as unknown)
    .catch(() => null);
  return isExport(parsed) ? parsed : t(GRAPH.compareBad, { name });
}

/** Whether it has what is drawn. Anything else in it does no harm. */
function isExport(value: unknown): value is ExportedGraph {
  const { version, nodes, edges } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return version === 1 && isListOf(nodes, ['id', 'type', 'title', 'project']) && isListOf(edges, ['src', 'dst', 'type', 'reason']); // prettier-ignore
}

function isListOf(value: unknown, texts: readonly string[]): boolean {
  return (
    Array.isArray(value) &&
    value.every((item: unknown) => {
      if (typeof item !== 'object' || item === null) return false;
      const fields = item as Readonly<Record<string, unknown>>;
      const { provenance, tags = [], weight = 1 } = fields;
      const place = (provenance ?? {}) as Readonly<Record<string, unknown>>;
      return (
        texts.every((name) => typeof fields[name] === 'string') &&
        Array.isArray(tags) &&
        typeof weight === 'number' &&
        typeof place['record'] === 'string'
      );
    })
  );
}
