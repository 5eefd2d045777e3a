import type { JSX } from 'preact';
import { SOURCES } from '../../text/pages/sources.ts';
import { t } from '../../text/text.ts';
import type { SourceInfo } from './runs.tsx';

const TONES: Partial<Record<SourceInfo['condition'], string>> = {
  fresh: 'good',
  failing: 'bad',
  broken: 'bad',
  stale: 'warn',
  gone: 'warn',
  'waiting for approval': 'warn',
  'changed, waiting for approval': 'warn',
};

export function Condition({ source: { condition } }: { readonly source: SourceInfo }): JSX.Element {
  return <span class={`label ${TONES[condition] ?? ''}`}>{t(SOURCES[condition])}</span>;
}
