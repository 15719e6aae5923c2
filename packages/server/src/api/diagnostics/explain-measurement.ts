// Says in plain words how a measurement came to be what it is: what was read last, and what each stage of the chain made
// of it. It only looks; the chain itself says what it would do with a reading.
import {
  type Datatype,
  describeQuality,
  type Explanation,
  formatPrefixed,
  formatText,
  formatTimestamp,
  fromTimestamp,
  isBad,
  isGood,
  type RevisionSummary,
  type StageExplained,
  toTimestamp,
  type Value,
  type Vtq,
} from '@telltale/schema';
import type { ReadingTrace } from '@telltale/stack-kit';
import { type ChainView, type Reading, type ReadingTrial, type StoredValue, unstored } from '../../points/index.ts';
import type { InstanceStatus } from '../../stacks/index.ts';
import { stateOf, timeOf } from './instance-wire.ts';

/** Everything that is known when somebody asks. */
export interface Explained {
  readonly name: string;
  /** Empty where there is none. */
  readonly address: string;
  readonly view: ChainView;
  /** Undefined where no connector reads it, or the connector does not run. */
  readonly status: InstanceStatus | undefined;
  /** What the connector remembers of the last reading; undefined where it knows of none. */
  readonly trace: ReadingTrace | undefined;
  /** Why the connector could not be asked. */
  readonly traceProblem: string | undefined;
  /** What the chain makes of the value that was read last, where there is one. */
  readonly trial: ReadingTrial | undefined;
  readonly rendering: RevisionSummary | undefined;
}

type Stage = Omit<StageExplained, 'stage'>;

export function explainMeasurement(explained: Explained): Explanation {
  const { name, address, view, status, rendering } = explained;
  const { datatype, device, simulation } = view;
  const shown: Vtq =
    simulation === undefined ? vtqOf(datatype, device) : [simulation.value, simulation.since, simulation.quality];
  const stages: Record<StageExplained['stage'], Stage> = {
    reading: readingStage(explained),
    watchdog: watchdogStage(explained),
    scaler: scalerStage(explained),
    deduplicator: deduplicatorStage(explained),
    deadband: deadbandStage(explained),
    simulation: simulationStage(view),
    live: { effect: 'passed', value: shown[0], text: `It shows ${vtqText(shown)}.` },
  };
  return {
    name,
    summary: summaryOf(explained),
    vtq: shown,
    quality: describeQuality(shown[2]),
    connector: status === undefined ? null : { ...stateOf(status), stack: status.stackName },
    address: address === '' ? null : address,
    reading: readingOf(explained),
    stages: Object.entries(stages).map(([stage, told]) => ({ stage: stage as StageExplained['stage'], ...told })),
    device: { vtq: vtqOf(datatype, device), quality: describeQuality(device.quality) },
    simulation: simulation ?? null,
    rendering:
      rendering === undefined ? null : { revision: rendering.id, time: rendering.time, author: rendering.author },
  };
}

function readingOf({ trace, trial, view }: Explained): Explanation['reading'] {
  if (trace === undefined) return null;
  const { value } = trace;
  return {
    t: timeOf(trace.timeUs),
    request: trace.request,
    raw: trace.raw ?? null,
    value: value === undefined ? null : rawText(view, trial, value),
    error: trace.error ?? null,
    device: trace.device ?? null,
    'scan-period': trace.scanPeriodMs ?? null,
  };
}

/** With the letter of the raw datatype where it is one of its values; else as it is. */
function rawText({ rawDatatype }: ChainView, trial: ReadingTrial | undefined, value: Value): string {
  return trial?.raw === undefined ? String(value) : prefixed(rawDatatype, trial.raw);
}

function readingStage({ view, trace, traceProblem, trial, status }: Explained): Stage {
  const { connector, tells, rawDatatype } = view;
  if (tells !== undefined) {
    return off(`No connector reads it: the service says by it whether the link of ${tells.role} ${tells.name} is up.`);
  }
  if (connector === undefined) return off('No connector reads it: a simulation alone gives it a value.');
  if (traceProblem !== undefined) return unknown(`What was read last cannot be told: ${sentence(traceProblem)}`);
  if (trace === undefined) {
    const isUp = status?.state === 'up';
    return unknown(
      isUp
        ? `Connector ${connector} remembers no reading of it: none has come yet, or its stack cannot tell.`
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
  const text = `${asked}${came}, read as ${quoted(rawDatatype, trial.raw)}.${wrong}`;
  return { effect: 'passed', value: prefixed(rawDatatype, trial.raw), text };
}

function watchdogStage({ view, status, trial }: Explained): Stage {
  const { connector, isLinked, watchdog, held, rawDatatype } = view;
  if (connector === undefined) return off('There is no link that could be lost.');
  if (!isLinked) return off('It is switched off by stackUmask: the value stays as it is when the link is lost.');
  const value = trial?.raw === undefined ? null : prefixed(rawDatatype, trial.raw);
  if (status?.state !== 'up') {
    const text = `The link of ${connector} is not up: the measurement keeps its value, and is bad.`;
    return { effect: 'changed', value: null, text };
  }
  if (watchdog === undefined) return { effect: 'passed', value, text: 'The link is up.' };
  if (watchdog.isContent)
    return { effect: 'passed', value, text: `The watchdog ${watchdog.name} says that all is well.` };
  const kept = held === undefined ? 'nothing has come since' : `the newest is ${heldText(rawDatatype, held)}`;
  const text = `The watchdog ${watchdog.name} is false or bad: the device is not believed, and what it says is kept back; ${kept}.`;
  return { effect: 'stopped', value: null, text };
}

function heldText(rawDatatype: Datatype, { value, quality, timeUs }: Reading): string {
  const shown = value === undefined ? 'a reading without a value' : cut(String(unstored(rawDatatype, value)));
  return `${shown}, ${describeQuality(quality)}, of ${when(timeUs)}`;
}

function scalerStage({ view, trial }: Explained): Stage {
  const { scaling, datatype, rawDatatype } = view;
  const isConverted = datatype !== rawDatatype;
  const range =
    scaling === undefined
      ? undefined
      : `${number(scaling.rawLo)} to ${number(scaling.rawHi)} becomes ${number(scaling.euLo)} to ${number(scaling.euHi)}`;
  if (range === undefined && !isConverted) return off('Nothing is scaled.');
  const rule = range ?? `Nothing is scaled; ${rawDatatype} is converted to ${datatype}`;
  if (trial?.raw === undefined) return unknown(`${rule}.`);
  const raw = quoted(rawDatatype, trial.raw);
  if (trial.value === undefined) {
    const text = `${rule}: ${raw} does not fit ${datatype}, so that the last value stays, ${describeQuality(trial.quality)}.`;
    return { effect: 'stopped', value: null, text };
  }
  const limited = isGood(trial.quality) ? '' : ` It lies outside the raw range: ${describeQuality(trial.quality)}.`;
  const text = `${rule}: ${raw} became ${quoted(datatype, trial.value)}.${limited}`;
  return { effect: 'changed', value: prefixed(datatype, trial.value), text };
}

function deduplicatorStage({ view, trial, trace }: Explained): Stage {
  const { datatype, isDeduplicated, device } = view;
  if (!isDeduplicated) return off('It is switched off by stackUmask: a reading that repeats the last one passes, too.');
  if (trial?.value === undefined) return unknown('A reading with the value and quality that it has is no change.');
  const value = prefixed(datatype, trial.value);
  const repeats = trial.isSame && trial.quality === device.quality;
  if (!repeats) return { effect: 'passed', value, text: 'It differs from what there was.' };
  // The one that is shown is as old as the reading itself, or younger.
  if (device.timeUs >= (trace?.timeUs ?? 0)) return { effect: 'passed', value, text: 'It is the one that is shown.' };
  const text = `It repeats what there is, and is no change: the time that is shown, ${when(device.timeUs)}, is of the last one that was.`;
  return { effect: 'stopped', value: null, text };
}

function deadbandStage({ view, trial }: Explained): Stage {
  const { datatype, deadband, device } = view;
  if (deadband === undefined) return off('There is none.');
  const rule = `Moves of less than ${number(deadband)} since the last value that passed, ${quoted(datatype, device.value)}, are no change`;
  if (trial?.value === undefined) return unknown(`${rule}.`);
  const value = prefixed(datatype, trial.value);
  if (trial.isSame) return { effect: 'passed', value, text: `${rule}.` };
  const isStopped = trial.isWithinDeadband && trial.quality === device.quality;
  const text = `${rule}: ${quoted(datatype, trial.value)} is ${isStopped ? 'nearer than that' : 'a change'}.`;
  return isStopped ? { effect: 'stopped', value: null, text } : { effect: 'passed', value, text };
}

function simulationStage({ simulation }: ChainView): Stage {
  if (simulation === undefined) return off('It is not simulated.');
  const { value, by, since, until } = simulation;
  const end = until === null ? 'until that is stopped' : `until ${when(fromTimestamp(until))}`;
  const text = `${by} has forced it to ${plain(value)} at ${when(fromTimestamp(since))}, ${end}; what the device says waits behind it.`;
  return { effect: 'changed', value, text };
}

/** The first of these that holds is what somebody who looks for a fault wants to know. */
function summaryOf(explained: Explained): string {
  const { view, status, trace, trial } = explained;
  const { connector, device, simulation, tells, watchdog, isLinked, datatype } = view;
  if (simulation !== undefined) {
    return `It is simulated by ${simulation.by}; behind it is ${vtqText(vtqOf(datatype, device))}.`;
  }
  if (tells !== undefined) {
    return `The service sets it: 1 while the link of ${tells.role} ${tells.name} is up, 0 while it is down.`;
  }
  if (connector === undefined) {
    return 'No connector reads it, so that it has no value of its own: set connectorName and address, or simulate it.';
  }
  if (status === undefined) return `Its connector ${connector} does not run.`;
  if (status.state !== 'up') return `${linkText(status)}${isLinked ? '' : ' The value is from before that.'}`;
  if (watchdog !== undefined && !watchdog.isContent) {
    return `The watchdog ${watchdog.name} of connector ${connector} is false or bad, so that the device is not believed.`;
  }
  const words = describeQuality(device.quality);
  const reason = trace?.error === undefined ? '' : ` ${sentence(trace.error)}`;
  if (isGood(device.quality)) return `It is ${words}.${reason && ` Of the newest reading:${reason}`}`;
  if (device.timeUs === 0) return `No reading has come yet from connector ${connector}.${reason}`;
  if (reason !== '') return `It is ${words}:${reason}`;
  if (trace !== undefined && trace.value !== undefined && trial?.value === undefined) {
    return `It is ${words}: the device said ${cut(String(trace.value))}, which does not fit.`;
  }
  if (trial !== undefined && !isGood(trial.quality) && !isBad(trial.quality)) {
    return `It is ${words}: the device is outside the raw range.`;
  }
  return `It is ${words}: so said connector ${connector} at ${when(device.timeUs)}.`;
}

function linkText({ name, state, sinceUs, lastError }: InstanceStatus): string {
  const why = lastError === undefined ? '' : ` ${sentence(lastError.text)}`;
  const since = `Connector ${name} is ${state} since ${when(sinceUs)}${why === '' ? '.' : ':'}${why}`;
  return state === 'failed'
    ? `${since} It is not tried again before the configuration changes.`
    : `${since} It is tried again by itself.`;
}

function vtqOf(datatype: Datatype, { value, timeUs, quality }: ChainView['device']): Vtq {
  return [prefixed(datatype, value), toTimestamp(timeUs), quality];
}

function vtqText([value, time, quality]: Vtq): string {
  return `${plain(value)}, ${describeQuality(quality)}, of ${when(fromTimestamp(time))}`;
}

const off = (text: string): Stage => ({ effect: 'off', value: null, text });
const unknown = (text: string): Stage => ({ effect: 'unknown', value: null, text });

function prefixed(datatype: Datatype, value: StoredValue): string {
  return formatPrefixed(datatype, unstored(datatype, value));
}

function quoted(datatype: Datatype, value: StoredValue): string {
  return plain(prefixed(datatype, value));
}

/** As people write it: without the letter, a text in quotes. */
function plain(value: string): string {
  return value.startsWith('s') ? JSON.stringify(cut(value.slice(1))) : value.slice(1);
}

function number(value: number | bigint): string {
  return typeof value === 'bigint' ? String(value) : formatText('d', value);
}

function when(us: number): string {
  const whole = Math.round(us);
  return Number.isSafeInteger(whole) && whole > 0 ? formatTimestamp(whole) : 'no known time';
}

const longest = 200;

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;
}

/** Ends as a sentence does. */
function sentence(text: string): string {
  const whole = cut(text);
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}
