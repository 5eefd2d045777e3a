import { call, type Output } from '../../api/client.ts';
import { asApiError } from '../../api/use-request.ts';
import { inboxChanged } from '../../parts/inbox-count.ts';
import { notify } from '../../parts/toasts.tsx';
import { INBOX } from '../../text/pages/inbox.ts';
import { counted, t } from '../../text/text.ts';
import { lifetimeUntil } from '../facts/changes.ts';

export type Group = Output<'/api/v1/inbox/list'>['groups'][number];
export type Change = Group['changes'][number];

/** Changes of the inbox that are kept or undone: single ones, or those of a session that are shown. */
type Chosen = { readonly changes: number[] } | { readonly group: string; readonly up_to: number };

export interface InboxActions {
  readonly keep: (chosen: Chosen | { readonly all: true; readonly up_to: number }) => Promise<void>;
  readonly undo: (chosen: Chosen) => Promise<void>;
  /**
   * Saves what the reader has written in the place of the agent's text, and keeps the changes of that record that the reader
   * saw. Returns why it could not be saved, as after a newer change.
   */
  readonly save: (change: Change, seen: readonly number[], edited: Edited) => Promise<string | null>;
}

export interface Edited {
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** When the record that is replaced was changed last. */
  readonly replaces: string;
}

/** What the page does. Each says what was done, or why it could not be, and shows the inbox again. */
export function inboxActions(reload: () => void): InboxActions {
  const done = (): void => {
    reload();
    inboxChanged();
  };
  const attempt =
    <Parameters extends unknown[]>(work: (...parameters: Parameters) => Promise<void>) =>
    (...parameters: Parameters): Promise<void> =>
      work(...parameters)
        .catch((error: unknown) => notify(asApiError(error).message))
        .finally(done);
  const takeBack = attempt(async (undo: string) => {
    await call('/api/v1/inbox/undo', { undo });
    notify(t(INBOX.back));
  });
  const keepSaved = attempt(async (changes: readonly number[]) => {
    await call('/api/v1/inbox/keep', { changes: [...changes] });
    notify(t(INBOX.saved));
  });
  return {
    keep: attempt(async (chosen) => {
      const { kept } = await call('/api/v1/inbox/keep', chosen);
      notify(counted(INBOX.kept, kept));
    }),
    undo: attempt(async (chosen) => {
      const { undone, refused, undo } = await call('/api/v1/inbox/undo', chosen);
      const parts = [
        counted(INBOX.undone, undone),
        ...(refused === 0 ? [] : [counted(INBOX.stayed, refused)]),
      ];
      notify(parts.join(' '), undo === null ? undefined : () => takeBack(undo));
    }),
    save: async (change, seen, { title, text, tags, replaces }) => {
      try {
        const { origin, title: key, category, expires_at: expires } = change;
        if (origin === 'fact')
          await call('/api/v1/memory/store', {
            ...{
              key,
              value: text,
              tags: [...tags],
              expires: expires === null ? '1h' : lifetimeUntil(expires),
            },
            ...(category !== null && { category }),
          });
        else
          await call('/api/v1/memory/update', {
            ...{ id: change.record!, content: text, title },
            if_updated_at: replaces,
          });
      } catch (error) {
        return asApiError(error).message;
      }
      await keepSaved(seen);
      return null;
    },
  };
}
