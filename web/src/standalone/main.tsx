/** The script of the file that `loci graph view` makes. It asks nobody for anything. */

import type { JSX } from 'preact';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import '../design/tokens.css';
import '../design/base.css';
import '../design/parts.css';
import './standalone.css';
import type { ViewerGraph } from '../../../src/graph/viewer/viewer-graph.ts';
import { PlainText } from '../parts/plain-text.tsx';
import { GRAPH } from '../text/pages/graph.ts';
import { language, t } from '../text/text.ts';
import { type Explored, exploredOf, queryOf } from '../viewer/explored.ts';
import { ExportExplorer } from '../viewer/export-explorer.tsx';

/** What the command has put into the file. */
interface Embedded {
  readonly name: string;
  /** The name of the earlier export. */
  readonly before: string | null;
  readonly graph: ViewerGraph;
}

const { name, before, graph } = JSON.parse(document.getElementById('data')!.textContent) as Embedded;

/** What is chosen is in the address, behind the `#`, because a file has no query. */
function chosen(): Explored {
  return exploredOf(new URLSearchParams(location.hash.slice(1)));
}

function addressOf(explored: Explored): string {
  const values = new URLSearchParams();
  for (const [key, value] of Object.entries(queryOf(explored)))
    for (const each of Array.isArray(value) ? (value as string[]) : [value])
      if (each !== undefined && each !== '') values.append(key, String(each));
  return `#${values.toString()}`;
}

function File(): JSX.Element {
  const [explored, setExplored] = useState(chosen);
  useEffect(() => {
    const follow = (): void => setExplored(chosen());
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return (
    <main class="standalone">
      <header>
        <h1>
          {t(GRAPH.fileTitle, { name: '' })}
          <PlainText text={name} />
        </h1>
        {before !== null && (
          <p class="quiet-text">
            {t(GRAPH.fileCompared, { name: '' })}
            <PlainText text={before} />
          </p>
        )}
      </header>
      {graph.nodes.length === 0 ? (
        <div class="state">
          <h2>{t(GRAPH.empty)}</h2>
        </div>
      ) : (
        <ExportExplorer
          graph={graph}
          compares={before !== null}
          explored={explored}
          onChange={(change) => {
            const next = { ...explored, ...change };
            history.replaceState(null, '', addressOf(next));
            setExplored(next);
          }}
        />
      )}
    </main>
  );
}

document.documentElement.lang = language;
render(<File />, document.getElementById('app')!);
