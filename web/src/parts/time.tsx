import type { JSX } from 'preact';
import { SHELL } from '../text/shell.ts';
import { formatAgo, formatMoment, t } from '../text/text.ts';

interface TimeProps {
  /** In ISO 8601. */
  readonly iso: string;
  /** The age that the server names, for a record: a note of a copied folder has `no date`. */
  readonly age?: string;
}

/** A moment as its distance from now; the exact time is its tooltip. */
export function Time({ iso, age }: TimeProps): JSX.Element {
  if (age === 'no date') return <span>{t(SHELL.noDate)}</span>;
  return (
    <time dateTime={iso} title={formatMoment(iso)}>
      {formatAgo(iso)}
    </time>
  );
}
