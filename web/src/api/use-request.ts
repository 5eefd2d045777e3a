import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './client.ts';

/** The state of a request. `data` remains while it is sent again, so that a page does not flicker. */
export interface RequestState<Data> {
  readonly data: Data | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  /** Sends it again. */
  readonly reload: () => void;
}

/**
 * Sends a request when the page is shown and whenever one of `inputs` changes. The one before is aborted.
 * @param inputs compared as JSON @param delayMs how long to wait first, for inputs that change with each key
 */
export function useRequest<Data>(
  request: (signal: AbortSignal) => Promise<Data>,
  inputs: unknown,
  delayMs = 0,
): RequestState<Data> {
  const [state, setState] = useState<Omit<RequestState<Data>, 'reload'>>({
    data: undefined,
    error: undefined,
    loading: true,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(request);
  latest.current = request;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setState((before) => ({ ...before, loading: true }));
    const timer = setTimeout(() => {
      latest.current(signal).then(
        (data) => {
          if (!signal.aborted) setState({ data, error: undefined, loading: false });
        },
        (error: unknown) => {
          if (!signal.aborted)
            setState((before) => ({ ...before, error: asApiError(error), loading: false }));
        },
      );
    }, delayMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [JSON.stringify(inputs), round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, reload };
}

/** An error of any kind as one that a page can show. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError({ code: 'internal', detail: String(error), hint: '' }, 0);
}
