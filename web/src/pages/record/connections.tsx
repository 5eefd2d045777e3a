import type { JSX } from 'preact';
import { call, type Output } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { useRequest } from '../../api/use-request.ts';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded, More, Skeleton } from '../../parts/states.tsx';
import { href, Link } from '../../router.tsx';
import { RECORD } from '../../text/pages/record.ts';
import { t } from '../../text/text.ts';
import type { ShownRecord } from './markdown-view.tsx';

type LinkPage = Output<'/api/v1/record/links'>;

/** The links of other notes to the record, with what they say. */
export function Backlinks({ record }: { readonly record: ShownRecord }): JSX.Element {
  const { citation } = record;
  const list = usePages(
    (after: string | undefined, signal) =>
      call('/api/v1/record/links', { citation, ...(after !== undefined && { after }) }, { signal }),
    ({ links, next }: LinkPage) => ({ items: links, next }),
    [citation, record.updated_at],
  );
  return (
    <section class="record-part list">
      <h2>{t(RECORD.backlinks)}</h2>
      <Loaded request={list} loading={<Skeleton lines={3} />}>
        {() =>
          list.items.length === 0 ? (
            <p class="quiet-text">{t(RECORD.noBacklinks)}</p>
          ) : (
            <ul class="mentions list">
              {list.items.map((link, i) => (
                <li key={i}>
                  <Link to={addressOf(link)}>
                    <PlainText text={link.title} />
                  </Link>
                  <p class="quiet-text">
                    <PlainText text={link.context} />
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <More list={list} />
    </section>
  );
}

function addressOf({ id, citation, line }: LinkPage['links'][number]): string {
  if (line === null) return href(`/record/${String(id)}`);
  return href('/record', { citation: `${citation}#L${String(line)}` });
}

/** Links and embeds are in the text and among the links to the record. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['links_to', 'embeds']);
const MAX_NEIGHBOURS = 100;
const SHOWN_NEIGHBOURS = 12;

/** What the graph says about the record, beyond links. Nothing is shown where the graph is off or does not have it. */
export function Neighbours({ record }: { readonly record: ShownRecord }): JSX.Element | null {
  const { citation } = record;
  const { data } = useRequest(
    (signal) => call('/api/v1/graph/show', { nodes: [citation], k: MAX_NEIGHBOURS }, { signal }),
    [citation, record.updated_at],
  );
  const node = data?.nodes[0];
  if (node === undefined) return null;
  // Records that are similar to each other have an edge each way.
  const shown = new Set<string>();
  const edges = node.edges
    .filter((edge) => {
      const key = `${edge.type} ${targetOf(edge).id}`;
      const isNew = !SHOWN_ELSEWHERE.has(edge.type) && !shown.has(key);
      shown.add(key);
      return isNew;
    })
    .slice(0, SHOWN_NEIGHBOURS);
  return (
    <section class="record-part list">
      <h2>{t(RECORD.neighbours)}</h2>
      {edges.length > 0 && (
        <ul class="mentions list">
          {edges.map((edge, i) => {
            const { id, title } = targetOf(edge);
            return (
              <li key={i}>
                <Link to={href('/graph', { node: id, around: id })}>
                  <PlainText text={title} />
                </Link>
                <p class="quiet-text">
                  <PlainText text={edge.reason} />
                </p>
              </li>
            );
          })}
        </ul>
      )}
      <Link to={href('/graph', { node: node.id, around: node.id })}>{t(RECORD.toGraph)}</Link>
    </section>
  );
}

type Edge = Output<'/api/v1/graph/show'>['nodes'][number]['edges'][number];

function targetOf({ direction, from, to }: Edge): Edge['to'] {
  return direction === 'out' ? to : from;
}
