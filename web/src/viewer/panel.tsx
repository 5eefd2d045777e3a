import type { ComponentType, ComponentChildren, JSX } from 'preact';
import type { ViewerNode } from '../../../src/graph/viewer/viewer-graph.ts';
import { Notices, PlainText } from '../parts/plain-text.tsx';
import { GRAPH } from '../text/pages/graph.ts';
import { counted, formatDay, t } from '../text/text.ts';
import type { Connection, FoundPath, NodeDetails } from './explored.ts';
import { typeName } from './filters.tsx';
import { CHANGE_LOOKS } from './look.ts';
import { SHELL } from '../text/shell.ts';
import { Shape } from './legend.tsx';

/** A link to a record, where records can be opened. */
export type RecordLink = ComponentType<{ readonly record: number; readonly children: ComponentChildren }>;

interface PanelProps {
  readonly node: ViewerNode;
  /** Undefined until they are there. */
  readonly details: NodeDetails | undefined;
  readonly path: ComponentChildren;
  readonly record: RecordLink | undefined;
  readonly onSelect: (id: string | null) => void;
  readonly onNear: (id: string) => void;
}

/** What is known about the selected node: where it comes from, and what it is connected to. */
export function Panel({ node, details, path, record: Open, onSelect, onNear }: PanelProps): JSX.Element {
  const { id, title, type, project, tags, task, abstract, record, change, fields } = node;
  return (
    <aside class="card graph-panel" aria-label={t(GRAPH.selected)}>
      <header class="graph-panel-head">
        <h2>
          <PlainText text={title} />
        </h2>
        <button type="button" class="button quiet small" onClick={() => onSelect(null)}>
          {t(SHELL.close)}
        </button>
      </header>
      <p class="row">
        <span class="label accent">{typeName(type)}</span>
        <span class="label">
          <PlainText text={project} />
        </span>
        {task !== undefined && task !== null && <span class="label">{taskText(task)}</span>}
        {tags.map((tag) => (
          <span class="label" key={tag}>
            #<PlainText text={tag} />
          </span>
        ))}
      </p>
      {change !== undefined && (
        <p class="row">
          <ChangeLabel change={change} />
          {fields !== undefined && (
            <span class="quiet-text">{t(GRAPH.differs, { fields: fields.join(', ') })}</span>
          )}
        </p>
      )}
      {typeof abstract === 'string' && (
        <p>
          <PlainText text={abstract} />
        </p>
      )}
      <Place place={node.place ?? details?.place ?? null} />
      <div class="row">
        {Open !== undefined && typeof record === 'number' && (
          <Open record={record}>{t(GRAPH.openRecord)}</Open>
        )}
        <button type="button" class="button small" onClick={() => onNear(id)}>
          {t(GRAPH.showNear)}
        </button>
      </div>
      {path}
      <section>
        <h3>{t(GRAPH.connections)}</h3>
        {details === undefined ? (
          <div class="skeleton">
            <span />
            <span />
          </div>
        ) : (
          <Connections details={details} record={Open} onSelect={onSelect} />
        )}
      </section>
    </aside>
  );
}

function taskText({ done, due }: NonNullable<ViewerNode['task']>): string {
  const state = t(done ? GRAPH.taskDone : GRAPH.taskOpen);
  return due === null ? state : `${state}, ${t(GRAPH.taskDue, { day: formatDay(due) })}`;
}

function ChangeLabel({ change }: { readonly change: NonNullable<ViewerNode['change']> }): JSX.Element {
  const [token, shape] = CHANGE_LOOKS[change];
  return (
    <span class="label">
      <Shape token={token} shape={shape} />
      {typeName(change)}
    </span>
  );
}

function Place({ place }: { readonly place: string | null }): JSX.Element | null {
  if (place === null) return null;
  return (
    <p class="quiet-text">
      {t(GRAPH.says)} <code>{<PlainText text={place} />}</code>
    </p>
  );
}

interface ConnectionsProps {
  readonly details: NodeDetails;
  readonly record: RecordLink | undefined;
  readonly onSelect: (id: string) => void;
}

function Connections({ details, record, onSelect }: ConnectionsProps): JSX.Element {
  const { connections, further, notices } = details;
  return (
    <>
      {connections.length === 0 && <p class="quiet-text">{t(GRAPH.noConnections)}</p>}
      <ul class="graph-connections">
        {connections.map((each, i) => (
          <ConnectionItem key={i} connection={each} record={record} onSelect={onSelect} />
        ))}
      </ul>
      {further > 0 && <p class="quiet-text">{counted(GRAPH.furtherConnections, further)}</p>}
      <Notices notices={notices} />
    </>
  );
}

interface ConnectionItemProps {
  readonly connection: Connection;
  readonly record: RecordLink | undefined;
  readonly onSelect: (id: string) => void;
}

function ConnectionItem({ connection, record: Open, onSelect }: ConnectionItemProps): JSX.Element {
  const { direction, type, other, reason, place, record, change } = connection;
  const where = place === null ? null : <PlainText text={place} />;
  return (
    <li>
      <span class="graph-connection">
        <span class="quiet-text">
          {direction === 'out' ? '→' : '←'} {typeName(type)}
        </span>
        <button type="button" class="graph-pick" onClick={() => onSelect(other.id)}>
          <PlainText text={other.title} />
        </button>
        {change !== undefined && <ChangeLabel change={change} />}
      </span>
      <span class="quiet-text">
        {reason !== null && <PlainText text={reason} />}
        {where !== null && ' · '}
        {Open !== undefined && record !== null && where !== null ? (
          <Open record={record}>{where}</Open>
        ) : (
          where
        )}
      </span>
    </li>
  );
}

interface PathStepsProps {
  readonly title: ComponentChildren;
  readonly path: FoundPath;
  readonly record: RecordLink | undefined;
  readonly onSelect: (id: string) => void;
}

/** A path, step by step. */
export function PathSteps({ title, path, record, onSelect }: PathStepsProps): JSX.Element {
  const { nodes, steps, from, notices } = path;
  return (
    <section class="stack">
      <h3>{title}</h3>
      {nodes.length === 0 && <p class="quiet-text">{t(GRAPH.noPath)}</p>}
      {nodes.length > 0 && (
        <ol class="graph-connections">
          <li>
            <button type="button" class="graph-pick" onClick={() => onSelect(nodes[0]!)}>
              <PlainText text={from} />
            </button>
          </li>
          {steps.map((each, i) => (
            <ConnectionItem key={i} connection={each} record={record} onSelect={onSelect} />
          ))}
        </ol>
      )}
      <Notices notices={notices} />
    </section>
  );
}
