// Alarms as conditions under the variables that they are of. Their state is the server's; a client that acknowledges one
// asks for it, and sees it acknowledged when it is.
import type { ProviderUser, StackAlarm, StackAlarmState, StackLog, WriteResult } from '@telltale/stack-kit';
import { DataType, type NodeId, PermissionFlag, type StatusCode, StatusCodes, Variant } from 'node-opcua-client';
import type { Namespace, Variable } from './address-space.ts';
import { toUaSeverity } from './alarm-severity.ts';
import type { Served, ServedSpace } from './served-space.ts';
import type { UserSessions } from './user-sessions.ts';

export interface ServedAlarmsOptions {
  readonly space: ServedSpace;
  readonly acknowledge: (alarm: StackAlarm, authority: string, user?: ProviderUser) => Promise<WriteResult>;
  /** Undefined: its clients are no users of the service. */
  readonly users?: UserSessions | undefined;
  readonly log: StackLog;
}

type Alarm = ReturnType<Namespace['instantiateAlarmCondition']>;

interface ServedAlarm {
  readonly alarm: StackAlarm;
  readonly variable: Variable;
  readonly condition: Alarm;
}

interface Context {
  /** What the method is called of. */
  readonly object?: { readonly nodeId: NodeId };
  readonly session?: object;
  getUserName?(): string;
  checkPermission(node: Alarm, action: PermissionFlag): boolean;
}

type Call = (
  inputs: Variant[],
  context: Context,
  answer: (error: Error | null, result: { statusCode: StatusCode }) => void,
) => void;

/** The methods of a condition, or of its type. */
type Methods = Readonly<
  Record<'acknowledge' | 'enable' | 'disable' | 'addComment', { bindMethod(call: Call): void } | undefined>
>;

export class ServedAlarms {
  readonly #options: ServedAlarmsOptions;
  #byName = new Map<string, ServedAlarm>();
  #byId = new Map<number, ServedAlarm>();
  #byNode = new Map<string, ServedAlarm>();
  /** No longer served, and not yet taken away. */
  readonly #stale = new Set<Alarm>();

  constructor(options: ServedAlarmsOptions) {
    this.#options = options;
    // Clients may call the methods of a condition by those of its type.
    const { addressSpace } = options.space.namespace;
    for (const type of ['ConditionType', 'AcknowledgeableConditionType']) {
      this.#bind(addressSpace.findEventType(type) as unknown as Methods | null);
    }
  }

  /** Step by step, after the points. May be aborted and restarted with others. */
  *change(alarms: readonly StackAlarm[], states: ReadonlyMap<number, StackAlarmState>): Generator<void> {
    const { space, log } = this.#options;
    const before = this.#byName;
    this.#byName = new Map();
    this.#byId = new Map();
    this.#byNode = new Map();
    const wanted: [StackAlarm, Served][] = [];
    for (const alarm of alarms) {
      const source = space.served(alarm.measurement);
      const old = before.get(alarm.name);
      if (source === undefined) continue;
      if (old?.variable !== source.variable || !isSame(old.alarm, alarm)) wanted.push([alarm, source]);
      else {
        before.delete(alarm.name);
        this.#put({ ...old, alarm });
      }
    }
    for (const { condition } of before.values()) this.#stale.add(condition);
    yield;
    for (const condition of this.#stale) {
      if (this.#isThere(condition)) space.namespace.addressSpace.deleteNode(condition);
      this.#stale.delete(condition);
      yield;
    }
    for (const [alarm, source] of wanted) {
      try {
        const { variable } = source;
        space.makeEventSource(source);
        this.#put({ alarm, variable, condition: this.#make(alarm, variable) });
        const state = states.get(alarm.id);
        if (state !== undefined) this.publish([state]);
      } catch (error) {
        log.error(`the alarm ${alarm.name} cannot be served: ${(error as Error).message}`);
      }
      yield;
    }
  }

  publish(states: readonly StackAlarmState[]): void {
    for (const state of states) {
      const served = this.#byId.get(state.id);
      if (served !== undefined && this.#isThere(served.condition)) show(served, state);
    }
  }

  /** Whether the user sees the condition, and what it is of; undefined where the node is none. */
  sees(user: ProviderUser, node: object & { readonly nodeId: NodeId }): boolean | undefined {
    if (this.#stale.has(node as Alarm)) return false;
    const served = this.#byNode.get(String(node.nodeId));
    if (served?.condition !== node) return undefined;
    return user.maySee(served.alarm) && this.#options.space.sees(user, served.variable) === true;
  }

  /** A variable that is gone has taken its conditions with it. */
  #isThere(condition: Alarm): boolean {
    return this.#options.space.namespace.addressSpace.findNode(condition.nodeId) === condition;
  }

  #put(served: ServedAlarm): void {
    this.#byName.set(served.alarm.name, served);
    this.#byId.set(served.alarm.id, served);
    this.#byNode.set(String(served.condition.nodeId), served);
  }

  #make({ name, description, severity }: StackAlarm, variable: Variable): Alarm {
    const { namespace } = this.#options.space;
    const condition = namespace.instantiateAlarmCondition('AlarmConditionType', {
      browseName: name,
      conditionName: name,
      componentOf: variable,
      conditionSource: variable,
      inputNode: variable.nodeId,
    });
    this.#bind(condition as unknown as Methods);
    condition.setEnabledState(true);
    condition.currentBranch().setMessage(description === '' ? name : description);
    condition.currentBranch().setSeverity(toUaSeverity(severity));
    condition.currentBranch().setAckedState(true);
    return condition;
  }

  /** The library would change the condition by itself; here, only the server does. */
  #bind(methods: Methods | null): void {
    const refuse: Call = (_inputs, _context, answer) => answer(null, { statusCode: StatusCodes.BadNotSupported });
    for (const name of ['enable', 'disable', 'addComment'] as const) methods?.[name]?.bindMethod(refuse);
    methods?.acknowledge?.bindMethod((inputs, context, answer) => {
      const served = this.#byNode.get(String(context.object?.nodeId));
      const user = this.#options.users?.of(context.session);
      const authority = user?.name ?? context.getUserName?.() ?? 'anonymous';
      if (served === undefined) answer(null, { statusCode: StatusCodes.BadNodeIdUnknown });
      else if (!context.checkPermission(served.condition, PermissionFlag.Call)) {
        answer(null, { statusCode: StatusCodes.BadUserAccessDenied });
      } else {
        const acknowledged = this.#acknowledge(served, inputs[0]?.value, authority, user);
        acknowledged.then((statusCode) => answer(null, { statusCode }));
      }
    });
  }

  async #acknowledge(
    { alarm, condition }: ServedAlarm,
    eventId: unknown,
    authority: string,
    user: ProviderUser | undefined,
  ): Promise<StatusCode> {
    const branch = condition.currentBranch();
    if (!Buffer.isBuffer(eventId) || !branch.getEventId()?.equals(eventId)) return StatusCodes.BadEventIdUnknown;
    if (branch.getAckedState()) return StatusCodes.BadConditionBranchAlreadyAcked;
    const result = await this.#options.acknowledge(alarm, authority, user);
    if (result.kind === 'accepted') return StatusCodes.Good;
    this.#options.log.info(`${alarm.name} was not acknowledged for ${authority}: ${result.reason}`);
    if (result.kind === 'refused' && result.isDenied === true) return StatusCodes.BadUserAccessDenied;
    return result.kind === 'unknown' ? StatusCodes.BadCommunicationError : StatusCodes.BadRequestNotAllowed;
  }
}

function isSame(old: StackAlarm, alarm: StackAlarm): boolean {
  return old.description === alarm.description && old.severity === alarm.severity;
}

function show(
  { alarm, condition }: ServedAlarm,
  { isActive, isAcknowledged, timeUs, authority, message }: StackAlarmState,
): void {
  const branch = condition.currentBranch();
  if (branch.getActiveState() === isActive && branch.getAckedState() === isAcknowledged) return;
  const text = alarm.description || message || alarm.name;
  branch.setActiveState(isActive);
  if (branch.getAckedState() !== isAcknowledged) {
    branch.setAckedState(isAcknowledged);
    const user = new Variant({ dataType: DataType.String, value: authority });
    if (isAcknowledged) condition.clientUserId.setValueFromSource(user);
  }
  branch.setRetain(isActive || !isAcknowledged);
  branch.setTime(new Date(timeUs / 1000));
  branch.setMessage(`${text} (${authority})`);
  condition.raiseNewBranchState(branch);
}
