import { formatCount } from '../../../core/text/format-count.ts';
import type { RefreshEvent } from '../../../engine/reading/refresh-scheduler.ts';
import { escapeControlJson, oneLine } from '../../shared/escape-control.ts';
import { countsText } from '../format/phrases.ts';
import type { Style } from '../format/style.ts';

/** A line for an event; `null` for an event that is not shown. */
export function eventLine(event: RefreshEvent, style: Style): string | null {
  const text = eventText(event, style);
  return text === null ? null : `${style.dim(new Date().toTimeString().slice(0, 8))} ${text}`;
}

function eventText(event: RefreshEvent, style: Style): string | null {
  if (event.kind === 'settings') return 'The settings of loci.yaml have changed, and are in force.';
  if (event.kind === 'embedded') return `${formatCount(event.contents, 'text')} embedded`;
  const source = style.bold(oneLine(event.source));
  switch (event.kind) {
    case 'begun':
    case 'left':
      return null;
    case 'refreshed': {
      const { added, updated, removed } = event.report;
      const changes = countsText([
        [added, 'added'],
        [updated, 'updated'],
        [removed, 'removed'],
      ]);
      return `${source}: ${changes.length === 0 ? 'no changes' : changes.join(', ')}`;
    }
    case 'failed':
      return `${source}: ${style.bad(oneLine(event.error.message))}`;
    case 'waiting':
      return `${source}: ${style.warning(oneLine(event.error.message))} ${style.dim(oneLine(event.error.hint))}`;
  }
}

/** The event as a line of JSON. */
export function eventJson({ kind, ...event }: RefreshEvent): string {
  if ('error' in event) {
    const { code, message, hint } = event.error;
    return jsonLine(kind, { source: event.source, error: { code, message, hint } });
  }
  if (!('report' in event)) return jsonLine(kind, event);
  const { added, updated, removed, unchanged } = event.report;
  return jsonLine(kind, { source: event.source, added, updated, removed, unchanged });
}

/** An event as one line of JSON. */
export function jsonLine(event: string, fields: object): string {
  return escapeControlJson(JSON.stringify({ at: new Date().toISOString(), event, ...fields }));
}
