import { useRef, useState } from 'preact/hooks';
import { asApiError, type RequestState, useRequest } from './use-request.ts';
import type { ApiError } from './client.ts';

/** A page of a list, and where the next one begins; `null` on the last. */
export interface ListPage<Item, Cursor> {
  readonly items: readonly Item[];
  readonly next: Cursor | null;
}

export interface PagesState<Item, Cursor, First> extends RequestState<First> {
  readonly items: readonly Item[];
  /** Where the next page begins; `null` if there is none. */
  readonly next: Cursor | null;
  /** Loads the next page. */
  readonly more: () => void;
  readonly loadingMore: boolean;
  readonly moreError: ApiError | undefined;
}

/** What a list has read: its first page, and the others that were loaded before. */
interface ReadPages<First, Item, Cursor> extends ListPage<Item, Cursor> {
  readonly first: First;
}

/**
 * The pages of a list, one after the other, and the first page as the server answered it. When it is read again, the pages that were
 * loaded stay loaded.
 * @param read one page @param pageOf its items and where the next begins @param inputs compared as JSON: others begin anew
 */
export function usePages<First, Item, Cursor>(
  read: (after: Cursor | undefined, signal?: AbortSignal) => Promise<First>,
  pageOf: (page: First) => ListPage<Item, Cursor>,
  inputs: unknown,
  delayMs = 0,
): PagesState<Item, Cursor, First> {
  const loaded = useRef({ inputs: '', pages: 1 });
  const request = useRequest<ReadPages<First, Item, Cursor>>(
    async (signal) => {
      const key = JSON.stringify(inputs);
      if (loaded.current.inputs !== key) loaded.current = { inputs: key, pages: 1 };
      const first = await read(undefined, signal);
      let { items, next } = pageOf(first);
      for (let i = 1; i < loaded.current.pages && next !== null; i++) {
        const page = pageOf(await read(next, signal));
        items = [...items, ...page.items];
        next = page.next;
      }
      return { first, items, next };
    },
    inputs,
    delayMs,
  );
  const { data: begins } = request;
  const current = useRef(begins);
  current.current = begins;
  const [added, setAdded] = useState<ListPage<Item, Cursor> & { readonly to: unknown }>();
  const [loadingMore, setLoadingMore] = useState(false);
  const [moreError, setMoreError] = useState<ApiError>();
  // What was added to a list that has been read again since is in that list.
  const follows = added?.to === begins ? added : undefined;
  const { next } = follows ?? begins ?? { next: null };
  const more = (): void => {
    if (next === null || loadingMore) return;
    setLoadingMore(true);
    setMoreError(undefined);
    read(next)
      .then((answer) => {
        if (current.current !== begins) return;
        const page = pageOf(answer);
        loaded.current.pages++;
        setAdded({ to: begins, items: [...(follows?.items ?? []), ...page.items], next: page.next });
      })
      .catch((error: unknown) => setMoreError(asApiError(error)))
      .finally(() => setLoadingMore(false));
  };
  return {
    ...request,
    data: begins?.first,
    items: [...(begins?.items ?? []), ...(follows?.items ?? [])],
    ...{ next, more, loadingMore, moreError },
  };
}
