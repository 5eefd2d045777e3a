import { call, type Input, type Output } from '../../api/client.ts';
import { attempt, notify } from '../../parts/toasts.tsx';
import { FACTS } from '../../text/pages/facts.ts';
import { SHELL } from '../../text/shell.ts';
import { counted, t } from '../../text/text.ts';

export type Fact = Output<'/api/v1/memory/list'>['facts'][number];
type Fields = Input<'/api/v1/memory/store'>;

export interface FactChanges {
  /** @param before the fact that it replaces, so that this can be undone */
  readonly store: (fields: Fields, before?: Fact) => Promise<void>;
  readonly keep: (fact: Fact, days: number) => void;
  readonly forget: (fact: Fact) => void;
}

const HOUR_MS = 3_600_000;

/** The lifetime of a fact that is stored again and expires at the same time, or in an hour if it has expired. */
export function lifetimeUntil(expiresAt: string): string {
  return `${String(Math.max(1, Math.ceil((Date.parse(expiresAt) - Date.now()) / HOUR_MS)))}h`;
}

/** What stores a fact as it is now, for as long as it is valid now. */
function asStored({ key, value, category, tags, expires_at: expires }: Fact): Fields {
  return { key, value, category, tags, expires: lifetimeUntil(expires) };
}

/** Changes of facts, each of which can be undone. */
export function useFactChanges(onDone: () => void): FactChanges {
  const send = async (fields: Fields, said: string, undo?: () => Promise<void>): Promise<void> => {
    const { masked, key } = await call('/api/v1/memory/store', fields);
    notify(masked.length > 0 ? t(SHELL.savedMasked, { key }) : said, undo);
    onDone();
  };
  const forget = async ({ key, category }: Pick<Fact, 'key' | 'category'>): Promise<void> => {
    const { facts } = await call('/api/v1/memory/forget', { key, category });
    const restore = async (): Promise<void> => {
      for (const { id } of facts) await call('/api/v1/memory/undelete', { id });
      notify(t(FACTS.restored, { key }));
      onDone();
    };
    notify(t(FACTS.forgotten, { key }), restore);
    onDone();
  };
  const back = (before: Fact) => () => send(asStored(before), t(SHELL.saved, { key: before.key }));
  return {
    store: (fields, before) =>
      send(fields, t(SHELL.saved, { key: fields.key }), before === undefined ? undefined : back(before)),
    keep: (fact, days) => {
      const time = counted(FACTS.days, days);
      const fields = { ...asStored(fact), expires: `${String(days)}d` };
      attempt(send(fields, t(FACTS.kept, { key: fact.key, time }), back(fact)));
    },
    forget: (fact) => attempt(forget(fact)),
  };
}
