import type { JSX } from 'preact';
import { formatAgo, formatMoment } from '../text/text.ts';

/** A moment as its distance from now; the exact time is its tooltip. @param iso in ISO 8601 */
export function Time({ iso }: { readonly iso: string }): JSX.Element {
  return (
    <time dateTime={iso} title={formatMoment(iso)}>
      {formatAgo(iso)}
    </time>
  );
}
