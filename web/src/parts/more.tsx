import type { JSX } from 'preact';
import type { ApiError } from '../api/client.ts';
import { SHELL } from '../text/shell.ts';
import { t } from '../text/text.ts';
import { Failure } from './states.tsx';

interface MoreProps {
  readonly list: {
    readonly next: unknown;
    readonly more: () => void;
    readonly loadingMore: boolean;
    readonly moreError: ApiError | undefined;
  };
}

/** Loads the next page of a list, if there is one. */
export function More({ list }: MoreProps): JSX.Element | null {
  if (list.next === null) return null;
  if (list.moreError !== undefined) return <Failure error={list.moreError} onRetry={list.more} />;
  return (
    <div>
      <button type="button" class="button" disabled={list.loadingMore} onClick={list.more}>
        {t(SHELL.more)}
      </button>
    </div>
  );
}
