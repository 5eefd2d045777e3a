import { call } from '../../api/client.ts';
import { notify } from '../../parts/toasts.tsx';
import { RECORDS } from '../../text/pages/records.ts';
import { t } from '../../text/text.ts';

export async function restore(id: number, onChange: () => void): Promise<void> {
  await call('/api/v1/memory/undelete', { id });
  notify(t(RECORDS.restored));
  onChange();
}
