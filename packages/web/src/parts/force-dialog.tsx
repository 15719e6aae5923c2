// Forces one point or many: the value, when it ends by itself, and why. What is refused is said by name, in the dialog.
import { useSignal } from '@preact/signals';
import type { Datatype } from '@telltale/schema';
import { isPrefixedText, traitsOf } from '@telltale/schema/values';
import { useId } from 'preact/hooks';
import { failuresOf, forcePoints, type NamedValue, type Outcome } from '../data/point-actions.ts';
import { currentValues } from '../data/present-values.ts';
import { plainNumber, words } from '../words/words.ts';
import { Dialog } from './dialog.tsx';
import { notify } from './notices.tsx';
import { OutcomeList } from './outcome-list.tsx';
import { ProblemText } from './problem-text.tsx';
import { LiveValue } from './value.tsx';

export interface ForcedPoint {
  readonly name: string;
  readonly datatype: Datatype;
}

export interface ForceDialogProps {
  readonly points: readonly ForcedPoint[];
  readonly onClose: () => void;
}

/** Seconds. Nothing stays forced because somebody forgot it, unless that is what they chose. */
const ends = [600, 3600, 28_800, 86_400] as const;

export function ForceDialog({ points, onClose }: ForceDialogProps) {
  const { common, forced } = words.value;
  const id = useId();
  const [only] = points;
  const isOne = points.length === 1 && only !== undefined;
  const holds = useSignal(!isOne);
  const value = useSignal('');
  const end = useSignal<number | undefined>(ends[0]);
  const reason = useSignal('');
  const isBusy = useSignal(false);
  const failures = useSignal<readonly Outcome[]>([]);
  const error = useSignal<unknown>(undefined);
  const isBoolean = points.every(({ datatype }) => traitsOf(datatype).isBoolean);

  const force = async () => {
    isBusy.value = true;
    error.value = undefined;
    try {
      const { items, missing } = await wantedValues(points, holds.value ? undefined : value.value, forced.noValue);
      const outcomes = await forcePoints(items, { validForS: end.value, reason: reason.value.trim() || undefined });
      failures.value = [...missing, ...failuresOf(outcomes)];
      const done = points.length - failures.value.length;
      if (done > 0) notify(forced.forced(done));
      if (failures.value.length === 0) onClose();
    } catch (thrown) {
      error.value = thrown;
    }
    isBusy.value = false;
  };

  return (
    <Dialog
      title={isOne ? forced.forceOne(only.name) : forced.forceMany(points.length)}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={onClose}>
            {common.cancel}
          </button>
          <button type="submit" form={id} class="main" disabled={isBusy.value}>
            {forced.force}
          </button>
        </>
      }
    >
      <form
        id={id}
        class="force-form"
        onSubmit={(event) => {
          event.preventDefault();
          void force();
        }}
      >
        <p class="quiet">{forced.forceWhy}</p>
        {isOne ? (
          <p>
            {forced.present} <LiveValue kind="measurements" name={only.name} age plain />
          </p>
        ) : (
          <fieldset class="choices">
            <legend>{forced.newValue}</legend>
            <label>
              <input type="radio" name={`${id}-what`} checked={holds.value} onChange={() => (holds.value = true)} />{' '}
              {forced.asNow}
            </label>
            <label>
              <input type="radio" name={`${id}-what`} checked={!holds.value} onChange={() => (holds.value = false)} />{' '}
              {forced.oneValue}
            </label>
          </fieldset>
        )}
        {!holds.value && (
          <ValueField isBoolean={isBoolean} value={value.value} onChange={(text) => (value.value = text)} />
        )}
        <label>
          <span>{forced.end}</span>
          <select
            value={String(end.value ?? '')}
            onChange={({ currentTarget }) => {
              end.value = currentTarget.value === '' ? undefined : Number(currentTarget.value);
            }}
          >
            {ends.map((seconds) => (
              <option key={seconds} value={String(seconds)}>
                {forced.ends[seconds]}
              </option>
            ))}
            <option value="">{forced.never}</option>
          </select>
        </label>
        <label>
          <span>{common.reason}</span>
          <input
            maxLength={256}
            placeholder={forced.reasonHint}
            value={reason.value}
            aria-invalid={failures.value.some(({ kind }) => kind === 'reason-needed')}
            onInput={({ currentTarget }) => (reason.value = currentTarget.value)}
          />
        </label>
        {error.value !== undefined && <ProblemText error={error.value} />}
        <OutcomeList failures={failures.value} />
      </form>
    </Dialog>
  );
}

interface ValueFieldProps {
  readonly isBoolean: boolean;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function ValueField({ isBoolean, value, onChange }: ValueFieldProps) {
  const { values, forced } = words.value;
  const id = useId();
  return (
    <div class="force-value">
      <label for={id}>{forced.newValue}</label>
      {isBoolean ? (
        <select id={id} required value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="" />
          <option value="1">{values.on}</option>
          <option value="0">{values.off}</option>
        </select>
      ) : (
        <input id={id} required value={value} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
      )}
    </div>
  );
}

/** What is forced to what; `text` undefined: each to what it is now. */
async function wantedValues(points: readonly ForcedPoint[], text: string | undefined, noValue: string) {
  if (text !== undefined) {
    const items = points.map(({ name, datatype }): NamedValue => {
      const typed = isPrefixedText(datatype) ? text : plainNumber(text);
      return { name, value: `${datatype}${typed}` };
    });
    return { items, missing: [] };
  }
  const present = await currentValues(
    'measurements',
    points.map(({ name }) => name),
  );
  const items: NamedValue[] = [];
  const missing: Outcome[] = [];
  for (const { name } of points) {
    const { value, t = 0 } = present.get(name) ?? {};
    if (value === undefined || t === 0) missing.push({ name, kind: 'refused', error: new Error(noValue) });
    else items.push({ name, value });
  }
  return { items, missing };
}
