import { call, type Input, type Output } from '../../api/client.ts';
import { attempt, notify } from '../../parts/toasts.tsx';
import { STARTUP } from '../../text/pages/startup.ts';
import { SHELL } from '../../text/shell.ts';
import { t, type Text } from '../../text/text.ts';

export type Entry = Output<'/api/v1/startup/list'>['entries'][number];
export type Preview = Output<'/api/v1/startup/preview'>;
/** An entry that is written and not saved. */
export type Draft = NonNullable<Input<'/api/v1/startup/preview'>['draft']>;
type Fields = Input<'/api/v1/startup/set'>;

export interface StartupChanges {
  readonly add: (fields: Fields) => Promise<void>;
  readonly edit: (entry: Entry, fields: Fields) => Promise<void>;
  /** @param position its place among the entries of this priority, from 1 */
  readonly move: (entry: Entry, priority: number, position: number, from: number) => void;
  readonly remove: (entry: Entry) => void;
}

/** The key of an entry, with its agent. */
export function nameOf({ key, agent }: Pick<Entry, 'key' | 'agent'>): Pick<Fields, 'key' | 'agent'> {
  return { key, ...(agent !== null && { agent }) };
}

/** Changes of startup entries, each of which can be undone. */
export function useStartupChanges(onDone: () => void): StartupChanges {
  const set = async (fields: Fields, done: Text, undo?: () => Promise<void>): Promise<void> => {
    const { masked } = await call('/api/v1/startup/set', fields);
    notify(t(masked.length > 0 ? SHELL.savedMasked : done, { key: fields.key }), undo);
    onDone();
  };
  const remove = async (fields: Pick<Fields, 'key' | 'agent'>, undo?: () => Promise<void>): Promise<void> => {
    await call('/api/v1/startup/remove', fields);
    notify(t(STARTUP.removed, { key: fields.key }), undo);
    onDone();
  };
  return {
    add: (fields) =>
      set(fields, STARTUP.added, () =>
        remove({ key: fields.key, ...(fields.agent !== undefined && { agent: fields.agent }) }),
      ),
    edit: (entry, fields) => {
      const { content, priority, reinforce } = entry;
      const before = { ...nameOf(entry), content, priority, reinforce };
      return set(fields, SHELL.saved, () => set(before, SHELL.saved));
    },
    move: (entry, priority, position, from) => {
      const back = { ...nameOf(entry), priority: entry.priority, position: from };
      attempt(set({ ...nameOf(entry), priority, position }, STARTUP.moved, () => set(back, STARTUP.moved)));
    },
    remove: (entry) => {
      const name = nameOf(entry);
      // To set it without a text restores it as it was.
      attempt(remove(name, () => set(name, STARTUP.added)));
    },
  };
}
