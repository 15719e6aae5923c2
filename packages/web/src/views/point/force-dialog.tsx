// Forces a measurement: its value, when it ends by itself, and why; what it shows now stands beside it.
import { useSignal } from '@preact/signals';
import { describeQuality, quality } from '@telltale/schema/values';
import { useId } from 'preact/hooks';
import { forcePoint } from '../../data/point-actions.ts';
import type { PointFacts } from '../../data/points.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { OutcomeText } from '../../parts/outcome-text.tsx';
import { qualityText } from '../../parts/quality-words.ts';
import { SignatureDialog } from '../../parts/signature-dialog.tsx';
import { typedValue } from '../../parts/typed-value.ts';
import { notifyOutcome, useAction } from '../../parts/use-action.ts';
import { ValueInput } from '../../parts/value-input.tsx';
import { words } from '../../words/words.ts';
import { Beside } from './beside.tsx';

/** Seconds. */
const presets = [60, 600, 3600, 28_800] as const;
const usual = 600;
/** What a value may be forced to look like; vendors' and limits' bits are left to programs. */
const qualities = [quality.good, quality.uncertain.nonSpecific, ...Object.values(quality.bad)].filter(
  (q) => q !== quality.bad.configurationError && describeQuality(q) !== '',
);

export interface ForceDialogProps {
  readonly name: string;
  readonly facts: PointFacts;
  readonly onClose: () => void;
}

export function ForceDialog({ name, facts, onClose }: ForceDialogProps) {
  const { common, point } = words.value;
  const { forceDialog: text } = point;
  const id = useId();
  const typed = useSignal('');
  const ends = useSignal<number | undefined>(usual);
  const isSure = useSignal(false);
  const reason = useSignal('');
  const q = useSignal<number>(quality.good);
  const isTried = useSignal(false);
  const action = useAction();
  const progress = action.progress.value;
  const value = typedValue(facts.datatype, typed.value);
  const lacksReason = reason.value.trim() === '';
  const isReady = value !== undefined && !lacksReason && (ends.value !== undefined || isSure.value);

  const input = { name, value, quality: q.value, ...(ends.value !== undefined && { 'valid-for': ends.value }) };
  if (typeof progress === 'object' && progress.kind === 'signature-needed') {
    return (
      <SignatureDialog
        title={text.title(name)}
        name={name}
        operation="simulateMeasurement"
        input={input}
        reason={reason.value}
        onClose={onClose}
      >
        <Beside kind="measurements" name={name} facts={facts} value={value} />
      </SignatureDialog>
    );
  }
  const force = async () => {
    isTried.value = true;
    if (!isReady || value === undefined) return;
    const options = { validForS: ends.value, quality: q.value, reason: reason.value.trim() };
    const outcome = await action.run(() => forcePoint({ name, value }, options));
    if (outcome?.kind !== 'done') return;
    notifyOutcome(outcome);
    onClose();
  };
  return (
    <Dialog
      title={text.title(name)}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" form={id} class="main" disabled={progress === 'underway'}>
            {text.force}
          </button>
        </>
      }
    >
      <form
        id={id}
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void force();
        }}
      >
        <p class="quiet">{text.why}</p>
        <Beside kind="measurements" name={name} facts={facts} value={value} />
        <ValueInput
          facts={facts}
          text={typed.value}
          onText={(given) => {
            typed.value = given;
            action.forget();
          }}
          fault={isTried.value && value === undefined ? point.newValue : undefined}
        />
        <fieldset class="form-choices">
          <legend>{text.ends}</legend>
          {presets.map((seconds) => (
            <label key={seconds}>
              <input
                type="radio"
                name={`${id}-ends`}
                checked={ends.value === seconds}
                onChange={() => {
                  ends.value = seconds;
                }}
              />{' '}
              {text.presets[seconds]}
            </label>
          ))}
          <label>
            <input
              type="radio"
              name={`${id}-ends`}
              checked={ends.value === undefined}
              onChange={() => {
                ends.value = undefined;
              }}
            />{' '}
            {text.never}
          </label>
        </fieldset>
        {ends.value === undefined && (
          <label class={isTried.value && !isSure.value ? 'error' : ''}>
            <input
              type="checkbox"
              checked={isSure.value}
              onChange={({ currentTarget }) => {
                isSure.value = currentTarget.checked;
              }}
            />{' '}
            {text.neverSure}
          </label>
        )}
        <label>
          <span>{text.reason}</span>
          <input
            required
            maxLength={500}
            value={reason.value}
            aria-invalid={isTried.value && lacksReason}
            aria-describedby={`${id}-reason`}
            onInput={({ currentTarget }) => {
              reason.value = currentTarget.value;
            }}
          />
          <small id={`${id}-reason`} class={isTried.value && lacksReason ? 'error' : ''}>
            {text.reasonNeeded}
          </small>
        </label>
        <details>
          <summary>{text.quality}</summary>
          <select
            aria-label={text.quality}
            value={String(q.value)}
            onChange={({ currentTarget }) => {
              q.value = Number(currentTarget.value);
            }}
          >
            {qualities.map((each) => (
              <option key={each} value={String(each)}>
                {qualityText(each)}
              </option>
            ))}
          </select>
        </details>
      </form>
      <OutcomeText progress={progress} />
    </Dialog>
  );
}
