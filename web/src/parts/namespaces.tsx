import type { JSX } from 'preact';
import { call } from '../api/client.ts';
import { session } from '../api/session.ts';
import { useRequest } from '../api/use-request.ts';
import { SHELL } from '../text/shell.ts';
import { formatNumber, t } from '../text/text.ts';

/** Whose memory the pages show. The owner can look at that of others, if there are any. */
export function Namespaces(): JSX.Element {
  const { data } = useRequest((signal) => call('/api/v1/namespaces', {}, { signal }), null);
  const names = data?.namespaces ?? [];
  if (names.length < 2)
    return (
      <p class="memory-of">
        {t(SHELL.memoryOf)} <strong>{session.namespace}</strong>
      </p>
    );
  return (
    <label>
      {t(SHELL.memoryOf)}
      <select value={session.namespace} onChange={({ currentTarget }) => session.select(currentTarget.value)}>
        {names.map(({ namespace, records }) => (
          <option key={namespace} value={namespace}>
            {namespace} ({formatNumber(records)})
          </option>
        ))}
      </select>
    </label>
  );
}
