// Forces one point or many: the value, beside what one shows now, when it ends by itself, and why. What is refused is said by
// name, in the dialog.
import { useSignal } from '@preact/signals';
import { type Datatype, describeQuality, quality, traitsOf } from '@telltale/schema/values';
import { useId } from 'preact/hooks';
import { failuresOf, forcePoint, forcePoints, type NamedValue, type Outcome } from '../data/point-actions.ts';
import { factsOfPoint, type Measure } from '../data/points.ts';
import { currentValues } from '../data/present-values.ts';
import { words } from '../words/words.ts';
import { Beside } from './beside.tsx';
import { Dialog } from './dialog.tsx';
import { Choices, Flag, submits, TextField } from './fields.tsx';
import { notify } from './notices.tsx';
import { OutcomeList } from './outcome-list.tsx';
import { OutcomeText } from './outcome-text.tsx';
import { ProblemText } from './problem-text.tsx';
import { qualityText } from './quality-words.ts';
import { SignatureDialog } from './signature-dialog.tsx';
import { typedValue } from './typed-value.ts';
import { notifyOutcome, useAction } from './use-action.ts';
import { useTask } from './use-task.ts';
import { ValueInput } from './value-input.tsx';

export interface ForcedPoint {
  readonly name: string;
  readonly datatype: Datatype;
}

export interface ForceDialogProps {
  readonly points: readonly ForcedPoint[];
  readonly onClose: () => void;
}

/** Seconds. Nothing stays forced because somebody forgot it, unless that is what they chose. */
const presets = [60, 600, 3600, 28_800] as const;
const usual = 600;
/** What a value may be forced to look like; vendors' and limits' bits are left to programs. */
const qualities = [quality.good, quality.uncertain.nonSpecific, ...Object.values(quality.bad)].filter(
  (q) => q !== quality.bad.configurationError && describeQuality(q) !== '',
);

export function ForceDialog({ points, onClose }: ForceDialogProps) {
  const { common, forced, point } = words.value;
  const { forceDialog: text } = point;
  const id = useId();
  const only = points.length === 1 ? points[0] : undefined;
  const holds = useSignal(only === undefined);
  const typed = useSignal('');
  const ends = useSignal<number | undefined>(usual);
  const isSure = useSignal(false);
  const reason = useSignal('');
  const q = useSignal<number>(quality.good);
  const isTried = useSignal(false);
  const failures = useSignal<readonly Outcome[]>([]);
  const action = useAction();
  const task = useTask();
  const progress = action.progress.value;
  const measure = measureOf(points);
  const value = typedValue(measure.datatype, typed.value);
  const lacksReason = reason.value.trim() === '';
  const isReady = (holds.value || value !== undefined) && !lacksReason && (ends.value !== undefined || isSure.value);
  const title = only === undefined ? forced.forceMany(points.length) : text.title(only.name);
  const beside = only !== undefined && <Beside kind="measurements" name={only.name} facts={measure} value={value} />;

  if (only !== undefined && typeof progress === 'object' && progress.kind === 'signature-needed') {
    const { name } = only;
    const input = { name, value, quality: q.value, ...(ends.value !== undefined && { 'valid-for': ends.value }) };
    return (
      <SignatureDialog
        title={title}
        name={name}
        operation="simulateMeasurement"
        input={input}
        reason={reason.value}
        onClose={onClose}
      >
        {beside}
      </SignatureDialog>
    );
  }
  const force = async () => {
    isTried.value = true;
    if (!isReady) return;
    const options = { validForS: ends.value, quality: q.value, reason: reason.value.trim() };
    if (only === undefined || value === undefined) {
      const isDone = await task.run(async () => {
        const { items, missing } = await wantedValues(points, holds.value ? undefined : typed.value, forced.noValue);
        failures.value = [...missing, ...failuresOf(await forcePoints(items, options))];
        const done = points.length - failures.value.length;
        if (done > 0) notify(forced.forced(done));
      });
      if (isDone && failures.value.length === 0) onClose();
      return;
    }
    const outcome = await action.run(() => forcePoint({ name: only.name, value }, options));
    if (outcome?.kind !== 'done') return;
    notifyOutcome(outcome);
    onClose();
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
          <button type="submit" form={id} class="main" disabled={progress === 'underway' || task.isUnderway}>
            {text.force}
          </button>
        </>
      }
    >
      <form id={id} class="form" noValidate onSubmit={submits(force)}>
        <p class="quiet">{text.why}</p>
        {beside || (
          <Choices
            title={point.newValue}
            choice={holds}
            choices={[
              [true, forced.asNow],
              [false, forced.oneValue],
            ]}
          />
        )}
        {!holds.value && (
          <ValueInput
            facts={measure}
            text={typed.value}
            onText={(given) => {
              typed.value = given;
              action.forget();
            }}
            fault={isTried.value && value === undefined ? point.newValue : undefined}
          />
        )}
        <Choices
          title={text.ends}
          choice={ends}
          choices={[...presets.map((seconds) => [seconds, text.presets[seconds]] as const), [undefined, text.never]]}
        />
        {ends.value === undefined && (
          <Flag text={text.neverSure} flag={isSure} isWrong={isTried.value && !isSure.value} />
        )}
        <TextField
          label={common.reason}
          text={reason}
          hint={text.reasonNeeded}
          isWrong={isTried.value && lacksReason}
          isRequired
        />
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
        {task.error !== undefined && <ProblemText error={task.error} />}
        <OutcomeList failures={failures.value} />
      </form>
      <OutcomeText progress={progress} />
    </Dialog>
  );
}

/** Of one, its own; of many, that of the first whose value is typed. */
function measureOf(points: readonly ForcedPoint[]): Measure {
  const [first, ...others] = points;
  const facts = others.length === 0 && first !== undefined ? factsOfPoint('measurements', first.name).value : undefined;
  if (typeof facts === 'object') return facts;
  const typed = points.find(({ datatype }) => !traitsOf(datatype).isBoolean) ?? first;
  return { datatype: typed?.datatype ?? 'd', eu: '', range: [null, null], precision: null };
}

/** What is forced to what; `text` undefined: each to what it is now. */
async function wantedValues(points: readonly ForcedPoint[], text: string | undefined, noValue: string) {
  const items: NamedValue[] = [];
  const missing: Outcome[] = [];
  const names = points.map(({ name }) => name);
  const present = text === undefined ? await currentValues('measurements', names) : undefined;
  for (const { name, datatype } of points) {
    // What is no value of its datatype, the service refuses, and says why.
    const typed = text !== undefined ? (typedValue(datatype, text) ?? `${datatype}${text}`) : undefined;
    const { value, t = 0 } = present?.get(name) ?? { value: typed, t: 1 };
    if (value === undefined || t === 0) missing.push({ name, kind: 'refused', error: new Error(noValue) });
    else items.push({ name, value });
  }
  return { items, missing };
}
