// Writes a command in two steps: the new value beside the old one, then the question; and what became of it. It is sent once.
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { writePoint } from '../../data/point-actions.ts';
import type { PointFacts } from '../../data/points.ts';
import { Beside } from '../../parts/beside.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { submits, TextField } from '../../parts/fields.tsx';
import { OutcomeText } from '../../parts/outcome-text.tsx';
import { SignatureDialog } from '../../parts/signature-dialog.tsx';
import { typedValue } from '../../parts/typed-value.ts';
import { useAction } from '../../parts/use-action.ts';
import { ValueInput } from '../../parts/value-input.tsx';
import { words } from '../../words/words.ts';

export interface WriteDialogProps {
  readonly name: string;
  readonly facts: PointFacts;
  readonly onClose: () => void;
}

export function WriteDialog({ name, facts, onClose }: WriteDialogProps) {
  const { common, point } = words.value;
  const { writeDialog: text } = point;
  const id = useId();
  const typed = useSignal('');
  const isTried = useSignal(false);
  const isAsking = useSignal(false);
  const reason = useSignal('');
  const wantsReason = useSignal(false);
  const action = useAction();
  const progress = action.progress.value;
  const value = typedValue(facts.datatype, typed.value);
  const kind = typeof progress === 'object' ? progress.kind : undefined;
  if (kind === 'signature-needed') {
    return (
      <SignatureDialog
        title={text.title(name)}
        name={name}
        operation="writeCommand"
        input={{ name, value }}
        reason={reason.value}
        onClose={onClose}
      >
        <Beside kind="commands" name={name} facts={facts} value={value} />
      </SignatureDialog>
    );
  }
  const submit = async () => {
    isTried.value = true;
    if (value === undefined) return;
    if (!isAsking.value) {
      isAsking.value = true;
      return;
    }
    const outcome = await action.run(() => writePoint({ name, value }, reason.value.trim() || undefined));
    if (outcome?.kind === 'reason-needed') wantsReason.value = true;
  };
  const back = () => {
    isAsking.value = false;
    action.forget();
  };
  /** After these, nothing is left to do here: whoever wants to write once more begins anew. */
  const isOver = kind === 'done' || kind === 'unknown';
  const isRefused = kind === 'refused';
  return (
    <Dialog
      title={text.title(name)}
      onClose={onClose}
      actions={
        isOver ? (
          <button type="button" onClick={onClose}>
            {common.close}
          </button>
        ) : (
          <>
            <button type="button" disabled={progress === 'underway'} onClick={isAsking.value ? back : onClose}>
              {isAsking.value ? text.back : common.cancel}
            </button>
            {!isRefused && (
              <Submit
                key={String(isAsking.value)}
                form={id}
                isFocused={isAsking.value}
                isBusy={progress === 'underway'}
              >
                {isAsking.value ? text.write : text.next}
              </Submit>
            )}
          </>
        )
      }
    >
      <form id={id} class="form" noValidate onSubmit={submits(submit)}>
        <Beside kind="commands" name={name} facts={facts} value={value} isSent={progress === 'underway' || isOver} />
        {!isAsking.value && (
          <ValueInput
            facts={facts}
            text={typed.value}
            onText={(given) => {
              typed.value = given;
            }}
            fault={isTried.value && value === undefined ? point.newValue : undefined}
          />
        )}
        {isAsking.value && progress === 'idle' && !wantsReason.value && <p>{text.ask}</p>}
        {wantsReason.value && !isOver && (
          <TextField label={common.reason} text={reason} hint={text.reasonNeeded} isRequired />
        )}
      </form>
      {kind !== 'reason-needed' && <OutcomeText progress={progress} />}
    </Dialog>
  );
}

interface SubmitProps {
  readonly form: string;
  readonly isFocused: boolean;
  readonly isBusy: boolean;
  readonly children: string;
}

/** In the second step, Enter answers the question. */
function Submit({ form, isFocused, isBusy, children }: SubmitProps) {
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isFocused) ref.current?.focus();
  }, []);
  return (
    <button type="submit" ref={ref} form={form} class="main" disabled={isBusy}>
      {children}
    </button>
  );
}
