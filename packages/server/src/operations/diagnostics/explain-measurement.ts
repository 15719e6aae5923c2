// Explains how the value of a measurement came about: what was read last, how it was processed, and, in one sentence,
// what matters for troubleshooting.
import { describeQuality, type Explanation, isBad, isGood, precisionOf, type Value, type Vtq } from '@telltale/schema';
import { type ChainView, disabledText, type ReadingTrial } from '../../points/index.ts';
import type { InstanceStatus } from '../../stacks/index.ts';
import { type Explained, explainStages, lateText, outOfView } from './explain-stages.ts';
import { rounded, stateOf, timeOf } from './instance-wire.ts';
import { cut, prefixed, sentence, showFor, vtqOf, vtqText, when } from './value-words.ts';

export function explainMeasurement(explained: Explained): Explanation {
  const { point, view, status, rendering } = explained;
  const { datatype, device, simulation } = view;
  const shown: Vtq =
    simulation === undefined ? vtqOf(datatype, device) : [simulation.value, simulation.since, simulation.quality];
  return {
    name: point.name,
    summary: summaryOf(explained),
    vtq: shown,
    quality: describeQuality(shown[2]),
    eu: point.eu || null,
    precision: precisionOf(point) ?? null,
    connector: status === undefined ? null : { ...stateOf(status), stack: status.stackName },
    address: point.address || null,
    reading: readingOf(explained),
    stages: explainStages(explained, shown),
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
    'scan-period': trace.scanPeriodMs === undefined ? null : rounded(trace.scanPeriodMs),
  };
}

/** With the letter of the raw datatype where it is one of its values; else as it is. */
function rawText({ rawDatatype }: ChainView, trial: ReadingTrial | undefined, value: Value): string {
  return trial?.raw === undefined ? String(value) : prefixed(rawDatatype, trial.raw);
}

/** The first of these that applies is what matters for troubleshooting. */
function summaryOf(explained: Explained): string {
  const { view, status, trace, trial } = explained;
  const { connector, device, simulation, reports, watchdog, isLinked, datatype } = view;
  const disabled = status?.disabled === undefined ? '' : disabledText('connector', status.name, status.disabled);
  if (simulation !== undefined) {
    const behind = vtqText(vtqOf(datatype, device), showFor(explained.point));
    const why = simulation.reason === null ? '' : ` (${simulation.reason})`;
    return `It is forced by ${simulation.by}${why}; behind it is ${behind}.${disabled && ` ${disabled}`}`;
  }
  if (explained.isHidden === true) return `It is ${describeQuality(device.quality)}. ${outOfView}`;
  if (reports !== undefined) {
    return `The service sets it: 1 while the link of ${reports.role} ${reports.name} is up, 0 while it is down.`;
  }
  if (connector === undefined) {
    return 'No connector reads it, so that it has no value of its own: set connectorName and address, or simulate it.';
  }
  if (status === undefined) return `Its connector ${connector} does not run.`;
  if (status.state !== 'up')
    return `${linkText(status)}${isLinked || disabled !== '' ? '' : ' The value is from before that.'}`;
  if (watchdog !== undefined && !watchdog.isHealthy) {
    return `The watchdog ${watchdog.name} of connector ${connector} is false or bad, so the device is not trusted.`;
  }
  const words = describeQuality(device.quality);
  const late = lateText(explained);
  if (late !== undefined) return `It is ${words}: ${late}.`;
  const reason = trace?.error === undefined ? '' : ` ${sentence(trace.error)}`;
  if (isGood(device.quality)) return `It is ${words}.${reason && ` Of the newest reading:${reason}`}`;
  if (device.timeUs === 0) return `No reading has arrived yet from connector ${connector}.${reason}`;
  if (reason !== '') return `It is ${words}:${reason}`;
  if (trace !== undefined && trace.value !== undefined && trial?.value === undefined) {
    return `It is ${words}: the device said ${cut(String(trace.value))}, which does not fit.`;
  }
  if (trial !== undefined && !isGood(trial.quality) && !isBad(trial.quality)) {
    return `It is ${words}: the device is outside the raw range.`;
  }
  return `It is ${words}: so said connector ${connector} at ${when(device.timeUs)}.`;
}

/** Why it is not up, and whether it is tried again. */
export function linkText({ name, state, sinceUs, lastError, disabled }: InstanceStatus): string {
  if (disabled !== undefined)
    return `${disabledText('connector', name, disabled)} It does not connect before it is enabled.`;
  const why = lastError === undefined ? '' : ` ${sentence(lastError.text)}`;
  const since = `Connector ${name} is ${state} since ${when(sinceUs)}${why === '' ? '.' : ':'}${why}`;
  return state === 'failed'
    ? `${since} It is not tried again before the configuration changes.`
    : `${since} It is tried again by itself.`;
}
