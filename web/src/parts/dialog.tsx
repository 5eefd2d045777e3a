import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { SHELL } from '../text/shell.ts';
import { t } from '../text/text.ts';
import { type Task, TaskState } from './task.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} class="dialog" aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button type="button" class="button quiet small" onClick={() => element.current?.close()}>
          {t(SHELL.close)}
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps extends Omit<DialogProps, 'children'> {
  readonly text: string;
  readonly button: string;
  readonly isDangerous?: boolean;
  /** What runs once it is confirmed. */
  readonly task?: Task;
  readonly onConfirm: () => void;
}

/** Asks before something is done. */
export function Confirm(props: ConfirmProps): JSX.Element {
  const { title, text, button, isDangerous = false, task, onConfirm, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        <p>{text}</p>
        {task !== undefined && <TaskState task={task} />}
        <div>
          <button
            type="button"
            class={`button ${isDangerous ? 'danger' : 'primary'}`}
            disabled={task?.isRunning}
            onClick={onConfirm}
          >
            {button}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
