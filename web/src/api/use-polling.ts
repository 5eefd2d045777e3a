import { useEffect } from 'preact/hooks';

/** What changes all the time is read again this often. */
const POLL_MS = 10_000;

/** Calls `reload` now and then, while the page is visible. */
export function usePolling(reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, []);
}
