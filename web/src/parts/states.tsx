import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ApiError } from '../api/client.ts';
import { onConnection } from '../api/connection.ts';
import type { RequestState } from '../api/use-request.ts';
import { SHELL } from '../text/shell.ts';
import { t } from '../text/text.ts';
import { ErrorText } from './plain-text.tsx';

/** Grey lines where a text will be. */
export function Skeleton({ lines = 6 }: { readonly lines?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label={t(SHELL.loading)}>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} />
      ))}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  /** What would be here, and how to get it. */
  readonly children?: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps): JSX.Element {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface FailureProps {
  readonly error: ApiError;
  readonly onRetry?: () => void;
}

/** How often a request is sent again by itself. The server may answer everything but that one. */
const MOST_RETRIES = 3;

/** Why a request failed, and what to do. One that no server answered is sent again when the server answers. */
export function Failure({ error, onRetry }: FailureProps): JSX.Element {
  const retries = useRef(0);
  useEffect(
    () =>
      onConnection((isUp) => {
        if (!isUp || error.code !== 'offline' || retries.current === MOST_RETRIES) return;
        retries.current++;
        onRetry?.();
      }),
    [error, onRetry],
  );
  return (
    <div class="state" role="alert">
      <h2>{t(SHELL.failed)}</h2>
      <ErrorText error={error} />
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          {t(SHELL.retry)}
        </button>
      )}
    </div>
  );
}

interface LoadedProps<Data> {
  readonly request: RequestState<Data>;
  /** Shown while there is nothing yet; a skeleton unless given. */
  readonly loading?: ComponentChildren;
  readonly children: (data: Data) => ComponentChildren;
}

/** The state of a request: a skeleton, the failure, or what `children` makes of the data. */
export function Loaded<Data>({ request, loading, children }: LoadedProps<Data>): JSX.Element {
  const { data, error } = request;
  if (error !== undefined) return <Failure error={error} onRetry={request.reload} />;
  if (data === undefined) return <>{loading ?? <Skeleton />}</>;
  return <>{children(data)}</>;
}

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
