// A dialog whose action may be refused: then it stays, and says why.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { words } from '../words/words.ts';
import { Dialog, type DialogProps } from './dialog.tsx';
import { submits } from './fields.tsx';
import { ProblemText } from './problem-text.tsx';
import { useTask } from './use-task.ts';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'onClose' | 'class'> {
  /** The text of the button that does it. */
  readonly action: string;
  readonly isReady?: boolean;
  /** What it throws or rejects with is said. */
  readonly run: () => unknown;
  /** After it has closed. */
  readonly onDone?: () => void;
  readonly children: ComponentChildren;
}

export function FormDialog({ action, isReady = true, run, onDone, children, ...dialog }: FormDialogProps) {
  const id = useId();
  const task = useTask();
  const submit = async () => {
    if (!isReady || !(await task.run(async () => run()))) return;
    dialog.onClose();
    onDone?.();
  };
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <button type="button" onClick={dialog.onClose}>
            {words.value.common.cancel}
          </button>
          <button type="submit" form={id} class="main" disabled={!isReady || task.isUnderway}>
            {action}
          </button>
        </>
      }
    >
      <form id={id} class="form" onSubmit={submits(submit)}>
        {children}
        {task.error !== undefined && <ProblemText error={task.error} />}
      </form>
    </Dialog>
  );
}
