import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../../parts/keys.tsx';
import { href, navigate } from '../../router.tsx';
import { INBOX } from '../../text/pages/inbox.ts';
import { t } from '../../text/text.ts';
import type { Change, Edited, InboxActions } from './actions.ts';
import type { ItemHandlers } from './group-card.tsx';

/** What is being edited, and the changes of that record that the reader saw before: later ones stay in the inbox. */
interface Editing {
  readonly item: Change;
  readonly seen: readonly number[];
  /** Why it could not be saved. */
  readonly problem?: string;
}

export interface ItemState extends ItemHandlers {
  /** The change whose text is being edited. */
  readonly editing: Editing | null;
  readonly closeEditor: () => void;
  readonly save: (edited: Edited) => void;
}

function elements(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-item]')];
}

function focused(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-item]') ?? null;
}

/** Keys and buttons of the changes that are shown. When one is gone, the focus is on the one after it. */
export function useItems(all: readonly Change[], actions: InboxActions): ItemState {
  const [editing, setEditing] = useState<Editing | null>(null);
  const position = useRef<number | null>(null);
  const act = (work: (item: Change) => Promise<void>) => (item: Change) => {
    const here = elements().findIndex((element) => element.dataset['item'] === nameOf(item));
    const isFocused = elements()[here]?.contains(document.activeElement) === true;
    position.current = isFocused ? here : null;
    void work(item);
  };
  useEffect(() => {
    const wanted = position.current;
    if (wanted === null || elements()[wanted]?.contains(document.activeElement) === true) return;
    position.current = null;
    (elements()[wanted] ?? elements().at(-1))?.focus();
  }, [all.map(nameOf).join()]);
  const keep = act((item) => actions.keep({ changes: [item.id] }));
  const undo = act((item) => actions.undo({ changes: [item.id] }));
  const edit = (item: Change): void => {
    const seen = all.filter((each) => each.record === item.record);
    setEditing({ item, seen: seen.map(({ id }) => id) });
  };
  const closeEditor = (): void => setEditing(null);
  const onFocused = (work: (item: Change) => void) => () => {
    const item = all.find((each) => nameOf(each) === focused()?.dataset['item']);
    if (item !== undefined) work(item);
  };
  const move = (step: 1 | -1): void => {
    const list = elements();
    const here = focused();
    const next = here === null ? list[0] : list[list.indexOf(here) + step];
    next?.focus();
  };
  useKeys([
    { key: 'j', does: t(INBOX.keyNext), run: () => move(1) },
    { key: 'k', does: t(INBOX.keyPrevious), run: () => move(-1) },
    { key: 'ArrowDown', does: t(INBOX.keyNext), run: () => move(1) },
    { key: 'ArrowUp', does: t(INBOX.keyPrevious), run: () => move(-1) },
    { key: 'y', does: t(INBOX.keyKeep), run: onFocused(keep) },
    {
      key: 'd',
      does: t(INBOX.keyUndo),
      run: onFocused((item) => {
        if (item.undo !== null) undo(item);
      }),
    },
    {
      key: 'e',
      does: t(INBOX.keyEdit),
      run: onFocused((item) => {
        if (item.state === 'live') edit(item);
      }),
    },
    {
      key: 'o',
      does: t(INBOX.keyOpen),
      run: onFocused((item) => {
        if (item.record !== null) navigate(href(`/record/${String(item.record)}`));
      }),
    },
  ]);
  const save: ItemState['save'] = (edited) => {
    if (editing === null) return;
    const { item, seen } = editing;
    act(async () => {
      const problem = await actions.save(item, seen, edited);
      setEditing(problem === null ? null : { item, seen, problem });
    })(item);
  };
  return { keep, undo, edit, editing, save, closeEditor };
}

function nameOf({ id }: Change): string {
  return `c${String(id)}`;
}
