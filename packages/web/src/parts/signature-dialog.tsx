// Somebody signs an action with their password: writing, forcing, rendering, erasing. It is done then, or waits for a second
// person. The password is for the server that the browser speaks with: a site at a centre never gets it.
import { useSignal } from '@preact/signals';
import type { SignedOperation } from '@telltale/schema';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { base } from '../base.ts';
import { signAction } from '../data/point-actions.ts';
import { TelltaleProblem } from '../data/service.ts';
import { words } from '../words/words.ts';
import { Dialog } from './dialog.tsx';
import { submits, TextField } from './fields.tsx';
import { OutcomeText } from './outcome-text.tsx';
import { useAction } from './use-action.ts';

export interface SignatureDialogProps {
  readonly title: string;
  /** What it is done to, for notices. */
  readonly name: string;
  readonly operation: SignedOperation;
  readonly input: Readonly<Record<string, unknown>>;
  /** What was said before it turned out that it has to be signed. */
  readonly reason?: string;
  readonly onDone?: () => void;
  readonly onClose: () => void;
  /** What is signed, for whoever does it. */
  readonly children?: ComponentChildren;
}

export const SignatureDialog = base === '' ? SignHere : SignAtSite;

function SignAtSite({ title, onClose, children }: SignatureDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <p role="alert">{words.value.point.sign.atSite}</p>
    </Dialog>
  );
}

function SignHere(props: SignatureDialogProps) {
  const { title, name, operation, input, onDone, onClose, children } = props;
  const { common, point } = words.value;
  const id = useId();
  const reason = useSignal(props.reason ?? '');
  const password = useSignal('');
  const code = useSignal('');
  const wantsCode = useSignal(false);
  const { progress, run } = useAction();
  const state = progress.value;
  const isOver = typeof state === 'object' && ['done', 'waiting', 'unknown'].includes(state.kind);
  const sign = async () => {
    const signature = {
      ...(password.value !== '' && { password: password.value }),
      ...(code.value !== '' && { code: code.value.replaceAll(' ', '') }),
    };
    const action = { operation, input, reason: reason.value.trim(), signature };
    const outcome = await run(() => signAction(name, action));
    code.value = '';
    if (outcome?.error instanceof TelltaleProblem && outcome.error.problem === 'second-factor-needed') {
      wantsCode.value = true;
    } else password.value = '';
    if (outcome?.kind === 'done') onDone?.();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        isOver ? (
          <button type="button" onClick={onClose}>
            {common.close}
          </button>
        ) : (
          <>
            <button type="button" onClick={onClose}>
              {common.cancel}
            </button>
            <button type="submit" form={id} class="main" disabled={state === 'underway'}>
              {point.sign.sign}
            </button>
          </>
        )
      }
    >
      {children}
      {!isOver && (
        <form id={id} class="form" onSubmit={submits(sign)}>
          <p class="quiet">{point.sign.why}</p>
          <TextField label={common.reason} text={reason} isRequired />
          <TextField
            label={point.sign.password}
            text={password}
            hint={point.sign.passwordHint}
            type="password"
            autocomplete="current-password"
          />
          {wantsCode.value && (
            <TextField
              label={point.sign.code}
              text={code}
              hint={point.sign.codeHint}
              type="number"
              autocomplete="one-time-code"
            />
          )}
        </form>
      )}
      <OutcomeText progress={state} />
    </Dialog>
  );
}
