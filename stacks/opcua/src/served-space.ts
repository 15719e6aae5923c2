// The address space of the provider: folders and variables of the points, added and taken away while clients look on.
import { type Clock, fits, traitsOf, unstored, type Value } from '@telltale/schema';
import type { ProviderUser, ServedPoint, StackLog, StackPoint, WriteResult } from '@telltale/stack-kit';
import {
  DataType,
  DataValue,
  makePermissionFlag,
  type NodeId,
  PermissionFlag,
  StatusCode,
  StatusCodes,
  type Variant,
  VariantArrayType,
  WellKnownRoles,
} from 'node-opcua-client';
import type { AddressSpace, Namespace, Variable } from './address-space.ts';
import { guardReadRange } from './guarded-ranges.ts';
import { HistoryNodes } from './history-nodes.ts';
import { emptyOf, isSameType, type NodeType, nodeTypeOf, rangeOf, variantOf } from './node-type.ts';
import { SeenFolders } from './seen-folders.ts';
import { Enumerations, putRange, putUnit } from './served-analog.ts';
import { statusOfQuality } from './status-quality.ts';
import type { UserSessions } from './user-sessions.ts';
import { toPoint } from './value-codec.ts';

type Folder = ReturnType<Namespace['addFolder']>;

export interface ServedSpaceOptions {
  readonly addressSpace: AddressSpace;
  readonly namespaceUri: string;
  /** Of the folder of everything. */
  readonly name: string;
  readonly write: (command: StackPoint, value: Value, user?: ProviderUser) => Promise<WriteResult>;
  /** Undefined: its clients are no users of the service. */
  readonly users?: UserSessions | undefined;
  readonly clock: Clock;
  readonly log: StackLog;
}

export interface Served {
  readonly point: StackPoint;
  readonly variable: Variable;
  readonly folder: string;
  readonly isCommand: boolean;
  readonly type: NodeType;
  variant: Variant;
}

const reading = makePermissionFlag('Browse | Read | ReadHistory | ReceiveEvents | ReadRolePermissions');
const operating = makePermissionFlag(
  'Browse | Read | ReadHistory | ReceiveEvents | ReadRolePermissions | Write | Call',
);
const maxDepth = 16;
const maxTextLength = 1000;

/** What the library does when a source has a new value, times in microseconds included. */
interface Settable {
  _internal_set_dataValue(value: DataValue): void;
}

type Context = Parameters<Variable['isUserWritable']>[0];

interface Writable {
  /** The rest is a range of indices, or none, and what is called with the status. */
  writeValue(context: Context, value: DataValue, ...rest: unknown[]): void;
}

export class ServedSpace {
  readonly namespace: Namespace;
  readonly #options: ServedSpaceOptions;
  readonly #root: Folder;
  readonly #historyNodes: HistoryNodes;
  readonly #enumerations: Enumerations;
  readonly #folders = new Map<string, Folder>();
  readonly #seenFolders = new SeenFolders();
  #byId = new Map<number, Served>();
  #byAddress = new Map<string, Served>();
  /** No longer served, and not yet taken away. */
  readonly #stale = new Set<Variable>();

  constructor(options: ServedSpaceOptions) {
    this.#options = options;
    const { addressSpace, namespaceUri, name } = options;
    this.namespace = addressSpace.registerNamespace(namespaceUri);
    this.#enumerations = new Enumerations(this.namespace);
    this.namespace.setDefaultRolePermissions([
      { roleId: WellKnownRoles.Anonymous, permissions: reading },
      { roleId: WellKnownRoles.AuthenticatedUser, permissions: reading },
      { roleId: WellKnownRoles.Observer, permissions: reading },
      { roleId: WellKnownRoles.Operator, permissions: operating },
    ] as never);
    this.#historyNodes = new HistoryNodes(addressSpace, this.namespace);
    this.#root = this.namespace.addFolder('ObjectsFolder', { browseName: name });
    this.#root.setEventNotifier(1);
    addressSpace.rootFolder.objects.server.addReference({ referenceType: 'HasNotifier', nodeId: this.#root });
  }

  served(id: number): Served | undefined {
    return this.#byId.get(id);
  }

  /** The point that a client means by the node. */
  servedAt({ namespace, value }: NodeId): Served | undefined {
    return namespace === this.namespace.index ? this.#byAddress.get(String(value)) : undefined;
  }

  /** Whether the user sees the variable or folder; undefined where it is none of these. */
  sees(user: ProviderUser, node: object & Pick<Variable, 'nodeId'>): boolean | undefined {
    const served = this.servedAt(node.nodeId);
    if (served?.variable === node) return user.maySee(served.point);
    if (this.#stale.has(node as Variable)) return false;
    return this.#seenFolders.sees(user, node, () => this.#byAddress.values());
  }

  hasNode(nodeId: NodeId): boolean {
    return this.#options.addressSpace.findNode(nodeId) !== null;
  }

  /** So that the events of the variable are heard above it. */
  makeEventSource({ variable, folder }: Served): void {
    const reference = { referenceType: 'HasEventSource', nodeId: variable.nodeId };
    const known = this.#folder(folder).findReferencesExAsObject('HasEventSource');
    if (!known.includes(variable)) this.#folder(folder).addReference(reference);
  }

  /** In steps. What is the same stays, with its value. May be aborted and restarted with other points. */
  *change(points: readonly ServedPoint[]): Generator<void> {
    const before = this.#byAddress;
    this.#byId = new Map();
    this.#byAddress = new Map();
    this.#seenFolders.changed();
    const [wanted, gone] = [new Set<ServedPoint>(), new Set(before.values())];
    for (const each of points) {
      const { point } = each;
      const old = before.get(point.address);
      if (old === undefined || !this.#isSame(old, each)) wanted.add(each);
      else {
        gone.delete(old);
        this.#describe(old, point);
        this.#put({ ...old, point });
      }
    }
    for (const old of gone) this.#stale.add(old.variable);
    yield;
    for (const variable of this.#stale) {
      this.#options.addressSpace.deleteNode(variable);
      this.#stale.delete(variable);
      yield;
    }
    for (const each of wanted) {
      const served = this.#add(each);
      if (served !== undefined) {
        this.#put(served);
        if (each.timeUs !== 0) this.show(each);
      }
      yield;
    }
  }

  show({ point, isCommand, value, quality, timeUs }: ServedPoint): void {
    const served = this.#byId.get(point.id);
    if (served === undefined) return;
    const nowUs = this.#options.clock.now();
    // Nobody has read or written it: what comes with it is no value.
    if (timeUs === 0 || (isCommand && value === undefined)) showNone(served, nowUs);
    else {
      const variant = value === undefined ? served.variant : variantOf(served.type, value);
      served.variant = variant ?? served.variant;
      // It has another type here than in the server: what has no place in it is said, never bent.
      const status = variant === undefined ? StatusCodes.BadOutOfRange.value : statusOfQuality(quality);
      show(served, status, timeUs, nowUs);
    }
  }

  #add({ point, isCommand }: ServedPoint): Served | undefined {
    const { addressSpace, clock, log } = this.#options;
    const { name, address, properties } = point;
    const type = nodeTypeOf(point);
    const range = rangeOf(point, type);
    const access = isCommand ? 'CurrentRead | CurrentWrite' : 'CurrentRead';
    const path = folderOf(properties);
    try {
      const variable = this.namespace.addVariable({
        organizedBy: this.#folder(path),
        browseName: name,
        displayName: name,
        description: shortened(point.description),
        nodeId: `s=${address}`,
        dataType: type.states === undefined ? DataType[type.dataType] : this.#enumerations.of(type.states),
        ...(range !== undefined && { typeDefinition: 'AnalogItemType' }),
        accessLevel: access,
        userAccessLevel: access,
        minimumSamplingInterval: 0,
      });
      guardReadRange(variable);
      if (range !== undefined) putRange(addressSpace, this.namespace, variable, range);
      putUnit(addressSpace, this.namespace, variable, shortened(point.eu));
      const served = { point, variable, folder: path, isCommand, type, variant: emptyOf(type) };
      showNone(served, clock.now());
      return served;
    } catch (error) {
      log.error(`${name} cannot be served at ${address}: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** In place: clients that monitor the variable would lose it with the node. */
  #describe({ variable, point: was, type }: Served, point: StackPoint): void {
    const { addressSpace } = this.#options;
    const { description, eu } = point;
    if (description !== was.description) variable.setDescription(shortened(description));
    if (eu !== was.eu) putUnit(addressSpace, this.namespace, variable, shortened(eu));
    const range = rangeOf(point, type);
    if (String(range) !== String(rangeOf(was, type))) putRange(addressSpace, this.namespace, variable, range);
  }

  #put(served: Served): void {
    if (served.isCommand) this.#bind(served);
    this.#historyNodes.mark(served.variable, served.point.isArchived === true);
    this.#byId.set(served.point.id, served);
    this.#byAddress.set(served.point.address, served);
    this.#seenFolders.changed();
  }

  /** What is in another area is another node: those who monitored it may not see it any more. */
  #isSame(old: Served, each: ServedPoint): boolean {
    return isSame(old, each) && (this.#options.users === undefined || old.point.area === each.point.area);
  }

  /** Replaces the library's write, which would show a value before it is written, or though it is refused. */
  #bind(served: Served): void {
    const { variable } = served;
    (variable as unknown as Writable).writeValue = (context, given, ...rest) => {
      const answer = rest.at(-1) as (error: null, status: StatusCode) => void;
      const range = rest.length > 1 ? (rest[0] as { isEmpty(): boolean } | null) : null;
      if (!variable.isUserWritable(context) || !context.checkPermission(variable, PermissionFlag.Write as never)) {
        answer(null, StatusCodes.BadUserAccessDenied);
      } else if (range !== null && !range.isEmpty()) answer(null, StatusCodes.BadIndexRangeInvalid);
      else {
        const user = this.#options.users?.of((context as { session?: object }).session);
        this.#write(served, given, user).then((status) => answer(null, status));
      }
    };
  }

  async #write({ point, type }: Served, given: DataValue, user: ProviderUser | undefined): Promise<StatusCode> {
    const { value: variant, statusCode } = given;
    // A value that its own sender doubts is no command.
    if (!statusCode.isGoodish()) return StatusCodes.BadWriteNotSupported;
    if (variant.arrayType !== VariantArrayType.Scalar || variant.dataType !== type.dataType) {
      return StatusCodes.BadTypeMismatch;
    }
    const converted = toPoint(variant.dataType, variant.value, point.datatype);
    if (converted === undefined || !fits(traitsOf(point.datatype), converted)) return StatusCodes.BadOutOfRange;
    const value = unstored(point.datatype, converted);
    if (variantOf(type, value) === undefined) return StatusCodes.BadOutOfRange;
    const result = await this.#options.write(point, value, user);
    if (result.kind === 'accepted') return StatusCodes.Good;
    const isDenied = result.kind === 'refused' && result.isDenied === true;
    const [words, status] = unaccepted[isDenied ? 'denied' : result.kind];
    this.#options.log.info(`a write to ${point.name} ${words}: ${result.reason}`);
    return status;
  }

  #folder(path: string): Folder {
    if (path === '') return this.#root;
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const [, parent = '', name = path] = /^(.*)\/([^/]*)$/s.exec(path) ?? [];
    const folder = this.namespace.addFolder(this.#folder(parent), { browseName: name });
    folder.setEventNotifier(1);
    this.#folder(parent).addReference({ referenceType: 'HasNotifier', nodeId: folder });
    this.#folders.set(path, folder);
    this.#seenFolders.add(folder, path);
    return folder;
  }
}

/** In the log, and to the client. */
const unaccepted = {
  refused: ['was refused', StatusCodes.BadRequestNotAllowed],
  denied: ['was refused', StatusCodes.BadUserAccessDenied],
  notSent: ['was not sent', StatusCodes.BadNoCommunication],
  unknown: ['may have been lost', StatusCodes.BadCommunicationError],
} as const;

function shortened(text = ''): string {
  return text.slice(0, maxTextLength);
}

/** But for what can be changed in its place. */
function isSame(old: Served, { point, isCommand }: ServedPoint): boolean {
  const { name, datatype } = old.point;
  return (
    old.isCommand === isCommand &&
    name === point.name &&
    datatype === point.datatype &&
    isSameType(old.point, point) &&
    old.folder === folderOf(point.properties)
  );
}

function folderOf(properties: StackPoint['properties']): string {
  const path = Object.hasOwn(properties, 'folder') ? (properties.folder ?? '').slice(0, maxTextLength) : '';
  return path
    .split('/')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, maxDepth)
    .join('/');
}

function show({ variable, variant }: Served, code: number, timeUs: number, nowUs: number): void {
  const value = new DataValue(null);
  const timestamp = new Date(Math.floor(timeUs / 1000));
  value.value = variant;
  value.statusCode = statusOf(code);
  value.sourceTimestamp = timestamp;
  value.sourcePicoseconds = (timeUs - Math.floor(timeUs / 1000) * 1000) * 1e6;
  value.serverTimestamp = new Date(Math.floor(nowUs / 1000));
  (variable as unknown as Settable)._internal_set_dataValue(value);
}

/** It has no value yet. */
function showNone(served: Served, nowUs: number): void {
  served.variant = emptyOf(served.type);
  show(served, StatusCodes.BadWaitingForInitialData.value, nowUs, nowUs);
}

const lowBits = 0xffff;
const statuses: ReadonlyMap<number, StatusCode> = new Map(
  Object.values(StatusCodes).flatMap((each) => (each instanceof StatusCode ? [[each.value, each]] : [])),
);

/** The table has no code that the library does not know. */
export function statusOf(code: number): StatusCode {
  const [base, bits] = [(code & ~lowBits) >>> 0, code & lowBits];
  const status = statuses.get(base) ?? StatusCodes.Bad;
  return bits === 0 ? status : StatusCode.makeStatusCode(status, bits);
}
