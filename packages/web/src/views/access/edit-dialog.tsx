// A dialog with a form: what it saves is refused with the reason, or it closes.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { useTask } from '../../parts/use-task.ts';
import { words } from '../../words/words.ts';
import { AccessProblem } from './access-problem.tsx';

export interface EditDialogProps {
  readonly title: string;
  readonly word?: string;
  readonly save: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function EditDialog({ title, word, save, onDone, onClose, children }: EditDialogProps) {
  const { common } = words.value;
  const id = useId();
  const { isUnderway, error, run } = useTask();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await run(save)) onDone();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" form={id} class="main" disabled={isUnderway}>
            {word ?? common.save}
          </button>
        </>
      }
    >
      <form id={id} class="form" onSubmit={(event) => void submit(event)}>
        {children}
        {error !== undefined && <AccessProblem error={error} />}
      </form>
    </Dialog>
  );
}

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly hint?: string | undefined;
  readonly type?: 'text' | 'password' | 'number';
  readonly autocomplete?: string;
  readonly isRequired?: boolean;
  readonly isFixed?: boolean;
  readonly maxLength?: number;
}

export function TextField(props: TextFieldProps) {
  const {
    label,
    value,
    onText,
    hint,
    type = 'text',
    autocomplete = 'off',
    isRequired,
    isFixed,
    maxLength = 256,
  } = props;
  const id = useId();
  return (
    <label>
      <span>{label}</span>
      <input
        {...(type === 'password' ? { type } : { type: 'text' as const })}
        inputMode={type === 'number' ? 'numeric' : undefined}
        value={value}
        required={isRequired === true}
        readOnly={isFixed === true}
        maxLength={maxLength}
        autocomplete={autocomplete}
        spellcheck={false}
        {...(hint !== undefined && { 'aria-describedby': id })}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      {hint !== undefined && <small id={id}>{hint}</small>}
    </label>
  );
}
