import { useEffect, useRef, useState } from 'preact/hooks';
import { useKeys } from '../../parts/keys.tsx';
import { href, navigate } from '../../router.tsx';
import { INBOX } from '../../text/pages/inbox.ts';
import { t } from '../../text/text.ts';
import type { Change, Edited, Group, InboxActions, Proposal } from './actions.ts';
import type { ItemHandlers } from './group-card.tsx';

type Item = Change | Proposal;

/** What is being edited, and the changes of that record that the reader saw before: later ones stay in the inbox. */
interface Editing {
  readonly item: Item;
  readonly seen: readonly number[];
  /** Why it could not be saved. */
  readonly problem?: string;
}

interface Shown {
  readonly proposals: readonly Proposal[];
  readonly changes: readonly Change[];
}

export interface ItemState extends ItemHandlers {
  /** The change or proposal whose text is being edited. */
  readonly editing: Editing | null;
  readonly closeEditor: () => void;
  readonly save: (edited: Edited) => void;
}

function isProposal(item: Item): item is Proposal {
  return 'proposed_at' in item;
}

function elements(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-item]')];
}

function focused(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-item]') ?? null;
}

/** Keys and buttons of the changes and proposals that are shown. When one is gone, the focus is on the one after it. */
export function useItems(shown: readonly Shown[], actions: InboxActions): ItemState {
  const [editing, setEditing] = useState<Editing | null>(null);
  const position = useRef<number | null>(null);
  const all: Item[] = shown.flatMap(({ proposals, changes }) => [...proposals, ...changes]);
  const act = (work: (item: Item) => Promise<void>) => (item: Item) => {
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
  const keep = act((item) =>
    isProposal(item) ? actions.accept(item) : actions.keep({ changes: [item.id] }),
  );
  const undo = act((item) =>
    isProposal(item) ? actions.reject(item) : actions.undo({ changes: [item.id] }),
  );
  const edit = (item: Item): void => {
    const seen = all.filter((each) => !isProposal(each) && !isProposal(item) && each.record === item.record);
    setEditing({ item, seen: seen.map(({ id }) => id) });
  };
  const closeEditor = (): void => setEditing(null);
  const onFocused = (work: (item: Item) => void) => () => {
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
        if (isProposal(item) || item.undo !== null) undo(item);
      }),
    },
    {
      key: 'e',
      does: t(INBOX.keyEdit),
      run: onFocused((item) => {
        if (isProposal(item) || item.state === 'live') edit(item);
      }),
    },
    {
      key: 'o',
      does: t(INBOX.keyOpen),
      run: onFocused((item) => {
        if (!isProposal(item) && item.record !== null) navigate(href(`/record/${String(item.record)}`));
      }),
    },
  ]);
  const save: ItemState['save'] = (edited) => {
    if (editing === null) return;
    const { item, seen } = editing;
    if (isProposal(item)) {
      closeEditor();
      act(() => actions.accept(item, edited.text))(item);
      return;
    }
    act(async () => {
      const problem = await actions.save(item, seen, edited);
      setEditing(problem === null ? null : { item, seen, problem });
    })(item);
  };
  return { keep, undo, edit, editing, save, closeEditor };
}

function nameOf(item: Item): string {
  return `${isProposal(item) ? 'p' : 'c'}${String(item.id)}`;
}

/** A group with the changes of it that are shown. */
export function shownOf(group: Group, changes: readonly Change[] = group.changes): Shown {
  return { proposals: group.proposals, changes };
}
