// What each stage of the chain did with the last reading, in plain words. It has no effect; the chain itself says what
// it would do with a reading.
import {
  describeQuality,
  fromTimestamp,
  isBad,
  isGood,
  type Measurement,
  quality,
  type RevisionSummary,
  type StageExplained,
  type Vtq,
} from '@telltale/schema';
import type { ReadingTrace } from '@telltale/stack-kit';
import type { ChainView, Reading, ReadingTrial } from '../../points/index.ts';
import type { InstanceStatus } from '../../stacks/index.ts';
import { cut, number, plain, prefixed, type Show, sentence, showFor, vtqText, when } from './value-words.ts';

/** Everything that is known at the time of the request. */
export interface Explained {
  readonly point: Measurement;
  readonly view: ChainView;
  /** Undefined where no connector reads it, or the connector does not run. */
  readonly status: InstanceStatus | undefined;
  /** What the connector has stored about the last reading; undefined where it had none. */
  readonly trace: ReadingTrace | undefined;
  /** Why the connector could not be queried. */
  readonly traceProblem: string | undefined;
  /** What the chain makes of the value that was read last, where there is one. */
  readonly trial: ReadingTrial | undefined;
  readonly rendering: RevisionSummary | undefined;
  /** Whether the link that it depends on is out of view of who asks: nothing is said of it. */
  readonly isHidden?: boolean;
}

export const outOfView = 'The link that it depends on is out of your view.';

type Stage = Omit<StageExplained, 'stage'>;

/** In the order in which a reading passes them; `shown` is the final result. */
export function explainStages(explained: Explained, shown: Vtq): StageExplained[] {
  const show = showFor(explained.point);
  const stages: Record<StageExplained['stage'], Stage> = {
    reading: readingStage(explained),
    watchdog: watchdogStage(explained),
    scaler: scalerStage(explained, show),
    deduplicator: deduplicatorStage(explained),
    deadband: deadbandStage(explained, show),
    simulation: simulationStage(explained.view, show),
    live: { effect: 'passed', value: shown[0], text: `It shows ${vtqText(shown, show)}.` },
  };
  return Object.entries(stages).map(([stage, detail]) => ({ stage: stage as StageExplained['stage'], ...detail }));
}

function readingStage({ view, trace, traceProblem, trial, status, isHidden }: Explained): Stage {
  if (isHidden === true) return unknown(outOfView);
  const { connector, reports, rawDatatype } = view;
  if (reports !== undefined) {
    return off(
      `No connector reads it: the service says by it whether the link of ${reports.role} ${reports.name} is up.`,
    );
  }
  if (connector === undefined) return off('No connector reads it: a simulation alone gives it a value.');
  if (traceProblem !== undefined) return unknown(`The last reading is unknown: ${sentence(traceProblem)}`);
  if (trace === undefined) {
    const isUp = status?.state === 'up';
    return unknown(
      isUp
        ? `Connector ${connector} remembers no reading of it: none has arrived yet, or its stack does not record them.`
        : `Connector ${connector} has no link, and remembers no reading of it.`,
    );
  }
  const from = trace.device === undefined ? '' : `, device ${trace.device}`;
  const asked = `At ${when(trace.timeUs)}${from}: ${trace.request}`;
  const came = trace.raw === undefined ? '' : ` gave ${cut(trace.raw)}`;
  const wrong = trace.error === undefined ? '' : ` It says: ${sentence(trace.error)}`;
  if (trace.value === undefined) {
    return { effect: 'stopped', value: null, text: `${asked}${came}; there is no value in it.${wrong}` };
  }
  if (trial?.raw === undefined) {
    const text = `${asked}${came}, read as ${cut(String(trace.value))}: no value of the raw datatype ${rawDatatype}.${wrong}`;
    return { effect: 'stopped', value: null, text };
  }
  const text = `${asked}${came}, read as ${plain(prefixed(rawDatatype, trial.raw))}.${wrong}`;
  return { effect: 'passed', value: prefixed(rawDatatype, trial.raw), text };
}

function watchdogStage(explained: Explained): Stage {
  const { view, status, trial, isHidden } = explained;
  if (isHidden === true) return unknown(outOfView);
  const { connector, isLinked, watchdog, held, rawDatatype } = view;
  if (connector === undefined) return off('There is no link that could be lost.');
  if (status?.disabled !== undefined) {
    const text = `Connector ${connector} is disabled: the measurement keeps its value, and is bad, out of service.`;
    return { effect: 'changed', value: null, text };
  }
  if (!isLinked) return off('It is switched off by stackUmask: the value stays as it is when the link is lost.');
  const value = trial?.raw === undefined ? null : prefixed(rawDatatype, trial.raw);
  if (status?.state !== 'up') {
    const text = `The link of ${connector} is not up: the measurement keeps its value, and is bad.`;
    return { effect: 'changed', value: null, text };
  }
  const late = lateText(explained);
  if (late !== undefined) return { effect: 'changed', value: null, text: `It is late: ${late}.` };
  if (watchdog === undefined) return { effect: 'passed', value, text: 'The link is up.' };
  if (watchdog.isHealthy)
    return { effect: 'passed', value, text: `The watchdog ${watchdog.name} says that all is well.` };
  const stored = held === undefined ? 'no reading has arrived since' : `the newest is ${heldText(held)}`;
  const text = `The watchdog ${watchdog.name} is false or bad: the device is not trusted, and its readings are held back; ${stored}.`;
  return { effect: 'stopped', value: null, text };
}

/** Why it is the last usable value and no more: the thread of its connector does not answer. */
export function lateText({ view, status }: Explained): string | undefined {
  if (status?.silentSinceUs === undefined || view.device.quality !== quality.uncertain.lastUsableValue)
    return undefined;
  const { name, thread, silentSinceUs } = status;
  return `thread ${thread} of the stacks, which runs connector ${name}, has not answered since ${when(silentSinceUs)}, so that it has not been read since`;
}

function heldText({ value, quality, timeUs }: Reading): string {
  const shown = value === undefined ? 'a reading without a value' : cut(String(value));
  return `${shown}, ${describeQuality(quality)}, of ${when(timeUs)}`;
}

function scalerStage({ view, trial }: Explained, show: Show): Stage {
  const { scaling, datatype, rawDatatype } = view;
  const isConverted = datatype !== rawDatatype;
  const range =
    scaling === undefined
      ? undefined
      : `${number(scaling.rawLo)} to ${number(scaling.rawHi)} becomes ${number(scaling.euLo)} to ${number(scaling.euHi)}`;
  if (range === undefined && !isConverted) return off('Nothing is scaled.');
  const rule = range ?? `Nothing is scaled; ${rawDatatype} is converted to ${datatype}`;
  if (trial?.raw === undefined) return unknown(`${rule}.`);
  const raw = plain(prefixed(rawDatatype, trial.raw));
  if (trial.value === undefined) {
    const text = `${rule}: ${raw} does not fit ${datatype}, so that the last value stays, ${describeQuality(trial.quality)}.`;
    return { effect: 'stopped', value: null, text };
  }
  const limited = isGood(trial.quality) ? '' : ` It lies outside the raw range: ${describeQuality(trial.quality)}.`;
  const value = prefixed(datatype, trial.value);
  return { effect: 'changed', value, text: `${rule}: ${raw} became ${show(value)}.${limited}` };
}

function deduplicatorStage({ view, trial, trace }: Explained): Stage {
  const { connector, datatype, isDeduplicated, device } = view;
  if (connector === undefined) return off('Nothing is read that could repeat itself.');
  if (!isDeduplicated) return off('It is switched off by stackUmask: a reading that repeats the last one passes, too.');
  if (trial?.value === undefined) return unknown('A reading with the value and quality that it has is no change.');
  const value = prefixed(datatype, trial.value);
  if (!trial.isSame || isOtherQuality(trial, device))
    return { effect: 'passed', value, text: 'It differs from what there was.' };
  // The one that is shown is as old as the reading itself, or younger.
  if (device.timeUs >= (trace?.timeUs ?? 0)) return { effect: 'passed', value, text: 'It is the one that is shown.' };
  const text = `It repeats what there is, and is no change: the time that is shown, ${when(device.timeUs)}, is of the last one that was.`;
  return { effect: 'stopped', value: null, text };
}

function deadbandStage({ view, trial }: Explained, show: Show): Stage {
  const { datatype, deadband, device } = view;
  if (deadband === undefined) return off('There is none.');
  const rule = `Moves of less than ${number(deadband)} since the last value that passed, ${show(prefixed(datatype, device.value))}, are no change`;
  if (trial?.value === undefined) return unknown(`${rule}.`);
  const value = prefixed(datatype, trial.value);
  if (trial.isSame) return { effect: 'passed', value, text: `${rule}.` };
  const isStopped = trial.isWithinDeadband && !isOtherQuality(trial, device);
  const text = `${rule}: ${show(value)} is ${isStopped ? 'nearer than that' : 'a change'}.`;
  return isStopped ? { effect: 'stopped', value: null, text } : { effect: 'passed', value, text };
}

function simulationStage({ simulation }: ChainView, show: Show): Stage {
  if (simulation === undefined) return off('It is not forced.');
  const { value, by, since, until, reason } = simulation;
  const end = until === null ? 'until that is stopped' : `until ${when(fromTimestamp(until))}`;
  const why = reason === null ? '' : ` (${reason})`;
  const text = `${by} has forced it to ${show(value)}${why} at ${when(fromTimestamp(since))}, ${end}; what the device says waits behind it.`;
  return { effect: 'changed', value, text };
}

/** A change of the quality passes, whatever the value. What the device said of a good value's quality is not remembered. */
function isOtherQuality(trial: ReadingTrial, device: Reading): boolean {
  return isBad(device.quality) || (!isGood(trial.quality) && trial.quality !== device.quality);
}

const off = (text: string): Stage => ({ effect: 'off', value: null, text });
const unknown = (text: string): Stage => ({ effect: 'unknown', value: null, text });
