// Explains a command: who wrote it and when, what the device said, who serves it, and, in one sentence, what matters for
// troubleshooting.
import {
  type Command,
  type CommandExplanation,
  type CommandWrite,
  precisionOf,
  type RevisionSummary,
  toTimestamp,
} from '@telltale/schema';
import type { CommandView } from '../../points/index.ts';
import type { InstanceStatus } from '../../stacks/index.ts';
import { linkText } from './explain-measurement.ts';
import { outOfView } from './explain-stages.ts';
import { stateOf } from './instance-wire.ts';
import { cut, plain, prefixed, sentence, showFor, when } from './value-words.ts';

export interface ExplainedCommand {
  readonly point: Command;
  readonly view: CommandView;
  /** Undefined where no connector writes it, or the connector does not run. */
  readonly status: InstanceStatus | undefined;
  /** All that run and are in view, by name. */
  readonly providers: ReadonlyMap<string, InstanceStatus>;
  readonly rendering: RevisionSummary | undefined;
  /** Whether its connector is out of view of who asks: nothing is said of it. */
  readonly isHidden?: boolean;
}

export function explainCommand(explained: ExplainedCommand): CommandExplanation {
  const { point, view, status, providers, rendering } = explained;
  const { datatype, value, timeUs, origin, by, raw, attempt } = view;
  return {
    name: point.name,
    summary: summaryOf(explained),
    vt: [prefixed(datatype, value), toTimestamp(timeUs)],
    origin,
    by: by ?? null,
    eu: point.eu || null,
    precision: precisionOf(point) ?? null,
    raw: raw ?? null,
    'last-write': attempt === undefined ? null : writeOf(attempt),
    connector: status === undefined ? null : { ...stateOf(status), stack: status.stackName },
    address: point.address || null,
    providers: Object.entries(point.providerAddresses ?? {}).flatMap(([name, address]) => {
      const provider = providers.get(name);
      return provider === undefined ? [] : { ...stateOf(provider), stack: provider.stackName, address };
    }),
    rendering:
      rendering === undefined ? null : { revision: rendering.id, time: rendering.time, author: rendering.author },
  };
}

function writeOf({ value, timeUs, by, outcome, error }: NonNullable<CommandView['attempt']>): CommandWrite {
  return { value, t: toTimestamp(timeUs), by: by ?? null, outcome, error: error ?? null };
}

/** What its value is, what became of a newer write, and what stands in the way of the next. */
function summaryOf(explained: ExplainedCommand): string {
  return [originText(explained), attemptText(explained), linkWords(explained)].filter((text) => text !== '').join(' ');
}

function originText({ point, view }: ExplainedCommand): string {
  const { origin, datatype, value, timeUs, by } = view;
  const shown = showFor(point)(prefixed(datatype, value));
  if (origin === 'never') return 'It was never written: the value that reads show is only the zero of its datatype.';
  if (origin === 'initial') {
    const sent = point.connectorName === undefined ? '' : ' No write of it was sent to the device.';
    return `It was never written; ${shown} is its initialValue.${sent}`;
  }
  const who = by === undefined ? 'by whom was not stored then' : `by ${by}`;
  const taker = point.connectorName === undefined ? 'is stored by the service itself' : 'the device accepted it';
  return `${shown} was written at ${when(timeUs)}, ${who}, and ${taker}.`;
}

/** Of the newest write, where that is not the one that reads show. */
function attemptText({ view: { attempt } }: ExplainedCommand): string {
  if (attempt === undefined) return '';
  const { outcome, value, timeUs, by, error } = attempt;
  const what = `${cut(plain(value))}, written at ${when(timeUs)}${by === undefined ? '' : ` by ${by}`},`;
  const said = error === undefined ? '' : ` ${sentence(error)}`;
  if (outcome === 'accepted') return said.trimStart();
  if (outcome === 'underway') return `${what} waits for the answer of the device.`;
  if (outcome === 'refused') return `${what} was refused:${said}`;
  return `${what} may have reached the device or not:${said}`;
}

function linkWords({ point: { connectorName }, status, isHidden }: ExplainedCommand): string {
  if (isHidden === true) return outOfView;
  if (connectorName === undefined) return 'It has no connector: it is a value of the service itself.';
  if (status === undefined) return `Its connector ${connectorName} does not run, so that it cannot be written.`;
  return status.state === 'up' ? '' : linkText(status);
}
