// Events of conditions as a server reports them: which fields are asked for, and what they say. Everything is the server's
// word, and read with care.
import {
  AttributeIds,
  type CreateMonitoredItemsRequestOptions,
  DataType,
  ElementOperand,
  EventFilter,
  FilterOperator,
  LiteralOperand,
  MonitoringMode,
  NodeId,
  resolveNodeId,
  SimpleAttributeOperand,
  type Variant,
} from 'node-opcua-client';
import { isTime, timeUsOf } from './value-codec.ts';

const baseEvent = 'ns=0;i=2041';
const systemEvent = 'ns=0;i=2130';
export const conditionType = 'ns=0;i=2782';
const acknowledgeable = 'ns=0;i=2881';
const alarm = 'ns=0;i=2915';

/** What is told of the events themselves. */
const notices = new Map<string, Notice['kind']>([
  ['ns=0;i=2787', 'refreshStart'],
  ['ns=0;i=2788', 'refreshEnd'],
  ['ns=0;i=2789', 'refreshRequired'],
  ['ns=0;i=3035', 'overflow'],
]);

export interface Notice {
  readonly kind: 'refreshStart' | 'refreshEnd' | 'refreshRequired' | 'overflow';
}

export interface ConditionEvent {
  readonly kind: 'condition';
  readonly conditionId: NodeId;
  readonly source: string;
  readonly conditionName: string;
  readonly eventId: Buffer;
  /** Undefined: the condition itself; else an earlier state of it that still waits to be acknowledged. */
  readonly branch: string | undefined;
  readonly isEnabled: boolean;
  readonly isRetained: boolean;
  readonly isActive: boolean;
  /** True where the condition knows no acknowledgement. */
  readonly isAcknowledged: boolean;
  readonly timeUs: number | undefined;
  readonly message: string;
  readonly user: string;
}

const fields: readonly [type: string, ...path: string[]][] = [
  [baseEvent, 'EventType'],
  [baseEvent, 'EventId'],
  [baseEvent, 'SourceNode'],
  [baseEvent, 'Time'],
  [baseEvent, 'Message'],
  [conditionType],
  [conditionType, 'ConditionName'],
  [conditionType, 'BranchId'],
  [conditionType, 'Retain'],
  [conditionType, 'EnabledState', 'Id'],
  [conditionType, 'ClientUserId'],
  [acknowledgeable, 'AckedState', 'Id'],
  [alarm, 'ActiveState', 'Id'],
];

/** `isNarrow`: only conditions, and what belongs to them; some servers cannot filter. */
export function eventFilter(isNarrow: boolean): EventFilter {
  const ofType = (type: string) => ({
    filterOperator: FilterOperator.OfType,
    filterOperands: [new LiteralOperand({ value: { dataType: DataType.NodeId, value: resolveNodeId(type) } })],
  });
  const either = {
    filterOperator: FilterOperator.Or,
    filterOperands: [new ElementOperand({ index: 1 }), new ElementOperand({ index: 2 })],
  };
  return new EventFilter({
    selectClauses: fields.map(
      ([typeDefinitionId, ...path]) =>
        new SimpleAttributeOperand({
          typeDefinitionId,
          browsePath: path.map((name) => ({ namespaceIndex: 0, name })),
          attributeId: path.length === 0 ? AttributeIds.NodeId : AttributeIds.Value,
        }),
    ),
    whereClause: { elements: isNarrow ? [either, ofType(conditionType), ofType(systemEvent)] : [] },
  });
}

/** The item that has a notifier report its events. */
export function eventItem(
  notifier: NodeId,
  filter: EventFilter,
  queueSize: number,
): NonNullable<CreateMonitoredItemsRequestOptions['itemsToCreate']>[number] {
  return {
    itemToMonitor: { nodeId: notifier, attributeId: AttributeIds.EventNotifier },
    monitoringMode: MonitoringMode.Reporting,
    requestedParameters: { clientHandle: 0, samplingInterval: 0, queueSize, discardOldest: true, filter },
  };
}

/** Undefined where it is something else. */
export function readEvent(given: readonly Variant[] | null): ConditionEvent | Notice | undefined {
  const values = fields.map((_, at) => given?.[at]?.value as unknown);
  const [type, eventId, source, time, message, conditionId, name, branch, retain, enabled, user, acked, active] =
    values;
  const notice = notices.get(String(type));
  if (notice !== undefined) return { kind: notice };
  if (!(conditionId instanceof NodeId) || !Buffer.isBuffer(eventId)) return undefined;
  const isBranch = branch instanceof NodeId && !branch.isEmpty();
  return {
    kind: 'condition',
    conditionId,
    source: String(source),
    conditionName: text(name),
    eventId,
    branch: isBranch ? String(branch) : undefined,
    isEnabled: enabled !== false,
    isRetained: retain !== false,
    isActive: active === true,
    isAcknowledged: acked !== false,
    timeUs: time instanceof Date && isTime(time) ? timeUsOf(time) : undefined,
    message: text((message as { text?: unknown } | null)?.text),
    user: text(user),
  };
}

function text(given: unknown): string {
  return typeof given === 'string' ? given : '';
}
