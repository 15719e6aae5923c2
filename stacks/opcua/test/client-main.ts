// A client of the library, in a process of its own: `node client-main.ts <folder>`. Has as many sessions as it is told to
// open, and forgets nothing of what it was sent of.
import { randomBytes } from 'node:crypto';
import { systemClock } from '@telltale/schema';
import {
  AttributeIds,
  type ClientSession,
  CreateSessionRequest,
  constructEventFilter,
  DataChangeFilter,
  DataChangeTrigger,
  DataType,
  DeadbandType,
  LogLevel,
  MessageSecurityMode,
  OPCUAClient,
  ReadValueId,
  SecurityPolicy,
  StatusCodes,
  setLogLevel,
  TimestampsToReturn,
  UserTokenType,
  Variant,
  VariantArrayType,
} from 'node-opcua-client';
import { CertificateFolder } from '../src/certificate-folder.ts';
import { type HistoryOrder, readHistory } from './client-history.ts';
import { askMany, type ManyOrder } from './client-many.ts';
import { carryOut } from './ordered-process.ts';

setLogLevel(LogLevel.Emergency);
const [folder = '.'] = process.argv.slice(2);
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const applicationUri = 'urn:telltale:test-client';
const certificates = new CertificateFolder({
  folder,
  applicationUri,
  applicationName: 'client',
  clock: systemClock,
  log,
});
await certificates.initialize();
certificates.checkCertificate = async () => StatusCodes.Good;

interface Order {
  readonly kind:
    | 'open'
    | 'halfCertificate'
    | 'close'
    | 'read'
    | 'description'
    | 'dataType'
    | 'typeDefinition'
    | 'write'
    | 'browse'
    | 'watch'
    | 'events'
    | 'seen'
    | 'call'
    | 'history'
    | 'many'
    | 'attribute';
  readonly session?: number;
  readonly port?: number;
  readonly mode?: keyof typeof MessageSecurityMode;
  readonly userName?: string;
  readonly password?: string;
  /** That of its certificate, unless it says so. */
  readonly applicationUri?: string;
  readonly node?: string;
  readonly type?: keyof typeof DataType;
  readonly value?: unknown;
  /** Of the value that is written. */
  readonly status?: 'BadSensorFailure';
  /** Of the token of the channel: when it is renewed, and how long it is to live. */
  readonly renewMs?: number;
  readonly lifetimeMs?: number;
  /** Of the subscription: publishing intervals without a change, after which it says that it is there. */
  readonly keepAliveCount?: number;
  /** Of indexes, as in 0:1. */
  readonly range?: string;
  /** Of a monitored item, as a percentage. */
  readonly deadband?: number;
  readonly history?: HistoryOrder;
  readonly many?: ManyOrder;
}

interface Opened {
  readonly client: OPCUAClient;
  readonly session: ClientSession;
  readonly seen: unknown[];
  readonly events: { eventId: Buffer; shown: unknown[] }[];
}

const opened = new Map<number, Opened>();

async function open(order: Order): Promise<number> {
  const { port, mode = 'None', userName, password = '', renewMs, lifetimeMs } = order;
  const isSecured = mode !== 'None';
  const client = OPCUAClient.create({
    applicationUri,
    securityMode: MessageSecurityMode[mode],
    securityPolicy: isSecured ? SecurityPolicy.Basic256Sha256 : SecurityPolicy.None,
    endpointMustExist: false,
    clientCertificateManager: certificates,
    certificateKeyPairProvider: certificates,
    connectionStrategy: { maxRetry: 0 },
    ...(renewMs !== undefined && { tokenRenewalInterval: renewMs }),
    ...(lifetimeMs !== undefined && { defaultSecureTokenLifetime: lifetimeMs }),
  });
  const { applicationUri: other } = order;
  // It would take that of its certificate.
  if (other !== undefined) Object.assign(client, { _getApplicationUri: () => other });
  try {
    await client.connect(`opc.tcp://127.0.0.1:${port}`);
    const session = await client.createSession(
      userName === undefined ? { type: UserTokenType.Anonymous } : { type: UserTokenType.UserName, userName, password },
    );
    const number = opened.size === 0 ? 1 : Math.max(...opened.keys()) + 1;
    opened.set(number, { client, session, seen: [], events: [] });
    return number;
  } catch (error) {
    await client.disconnect();
    throw error;
  }
}

interface Transactor {
  performMessageTransaction(request: object, callback: (error: Error | null) => void): void;
}

/** Asks for a session with a certificate that ends too early; resolves with what becomes of it. */
async function halfCertificate({ port }: Order): Promise<string> {
  const endpointUrl = `opc.tcp://127.0.0.1:${port}`;
  const client = OPCUAClient.create({ endpointMustExist: false, connectionStrategy: { maxRetry: 0 } });
  await client.connect(endpointUrl);
  const clientCertificate = Buffer.from([0x30, 0x82, 0xff, 0xff, 0]);
  const request = new CreateSessionRequest({ endpointUrl, clientCertificate, clientNonce: randomBytes(32) });
  const { promise, resolve } = Promise.withResolvers<string>();
  const transactor = client as unknown as Transactor;
  transactor.performMessageTransaction(request, (error) => resolve(error?.message ?? 'a session'));
  client.once('close', () => resolve('closed'));
  return promise.finally(() => client.disconnect());
}

const eventFields = ['EventId', 'ConditionName', 'ActiveState.Id', 'AckedState.Id', 'Message', 'Severity'];

async function work(order: Order): Promise<unknown> {
  if (order.kind === 'open') return open(order);
  if (order.kind === 'halfCertificate') return halfCertificate(order);
  const { client, session, seen, events } = opened.get(order.session ?? 0) ?? {};
  if (client === undefined || session === undefined) throw new Error('there is no such session');
  const nodeId = order.node ?? '';
  const { indexRange } = new ReadValueId({ indexRange: order.range } as object);
  switch (order.kind) {
    case 'close':
      opened.delete(order.session ?? 0);
      await session.close();
      await client.disconnect();
      return undefined;
    case 'read': {
      const { value, statusCode, sourceTimestamp, sourcePicoseconds } = await session.read({
        nodeId,
        attributeId: AttributeIds.Value,
        indexRange,
      });
      const long = value.dataType === DataType.Int64 ? String(longOf(value.value)) : undefined;
      const timeUs = sourceTimestamp === null ? undefined : sourceTimestamp.getTime() * 1000 + sourcePicoseconds / 1e6;
      return { value: long ?? value.value, type: DataType[value.dataType], status: statusCode.name, timeUs };
    }
    case 'write': {
      const dataType = DataType[order.type ?? 'Double'];
      const value = writtenOf(dataType, order.value);
      const variant = new Variant({ dataType, arrayType: VariantArrayType.Scalar, value });
      const statusCode = StatusCodes[order.status ?? 'Good'];
      const request = { nodeId, attributeId: AttributeIds.Value, indexRange, value: { value: variant, statusCode } };
      return (await session.write(request as unknown as Parameters<ClientSession['write']>[0] & object)).toString();
    }
    case 'history':
      return readHistory(session, nodeId, order.history as HistoryOrder);
    case 'many':
      return askMany(session, order.many as ManyOrder);
    case 'attribute': {
      const attributeId = AttributeIds[order.value as keyof typeof AttributeIds];
      return (await session.read({ nodeId, attributeId })).value.value;
    }
    case 'description':
      return (await session.read({ nodeId, attributeId: AttributeIds.Description })).value.value.text;
    case 'dataType':
      return String((await session.read({ nodeId, attributeId: AttributeIds.DataType })).value.value);
    case 'typeDefinition': {
      const referenceTypeId = 'HasTypeDefinition';
      const browsed = await session.browse({ nodeId, referenceTypeId, includeSubtypes: true, resultMask: 63 });
      return String(browsed.references?.[0]?.nodeId);
    }
    case 'browse': {
      const { references } = await session.browse(nodeId);
      return references?.map(({ browseName, nodeId: id }) => ({ name: browseName.name, nodeId: String(id) }));
    }
    case 'watch':
    case 'events': {
      const { keepAliveCount = 10 } = order;
      const subscription = await session.createSubscription2({
        requestedPublishingInterval: 50,
        requestedLifetimeCount: 10 * keepAliveCount,
        requestedMaxKeepAliveCount: keepAliveCount,
        publishingEnabled: true,
      });
      const isEvent = order.kind === 'events';
      const attributeId = isEvent ? AttributeIds.EventNotifier : AttributeIds.Value;
      const filter = isEvent ? constructEventFilter(eventFields) : deadbandOf(order);
      const parameters = { samplingInterval: 0, queueSize: 100, discardOldest: true, filter };
      const watched = { nodeId, attributeId, indexRange };
      const item = await subscription.monitor(watched, parameters, TimestampsToReturn.Both);
      if (item.statusCode.isBad()) throw new Error(item.statusCode.name);
      item.on('changed', (change: unknown) => {
        if (isEvent) {
          const [eventId, ...shown] = (change as Variant[]).map(({ value }) => value);
          events?.push({ eventId, shown: shown.map((each) => each?.text ?? each) });
        } else {
          const { value, statusCode } = change as { value: Variant; statusCode: { name: string } };
          seen?.push([value.value, statusCode.name]);
        }
      });
      // The library listens for events a turn after it has answered: what it answers next, it answers while it listens.
      if (isEvent) await session.read({ nodeId, attributeId: AttributeIds.NodeClass });
      return undefined;
    }
    case 'seen':
      return { values: seen, events: events?.map(({ shown }) => shown) };
    case 'call': {
      // A method of a condition, with the event that was heard last and a comment.
      const eventId = events?.at(-1)?.eventId ?? Buffer.alloc(0);
      const inputArguments = [
        new Variant({ dataType: DataType.ByteString, value: eventId }),
        new Variant({ dataType: DataType.LocalizedText, value: { text: 'seen' } }),
      ];
      const methodId = String(order.value);
      const arguments_ = order.type === undefined ? inputArguments : [];
      const result = await session.call({ objectId: nodeId, methodId, inputArguments: arguments_ });
      return result.statusCode.toString();
    }
  }
}

function writtenOf(dataType: DataType, value: unknown): unknown {
  if (dataType === DataType.Int64) return halvesOf(BigInt(String(value)));
  return dataType === DataType.DateTime ? new Date(String(value)) : value;
}

function deadbandOf({ deadband }: Order): DataChangeFilter | null {
  if (deadband === undefined) return null;
  const { StatusValue: trigger } = DataChangeTrigger;
  return new DataChangeFilter({ trigger, deadbandType: DeadbandType.Percent, deadbandValue: deadband });
}

function longOf([high = 0, low = 0]: readonly number[]): bigint {
  return (BigInt(high | 0) << 32n) | BigInt(low >>> 0);
}

function halvesOf(long: bigint): [number, number] {
  return [Number(BigInt.asUintN(32, long >> 32n)), Number(BigInt.asUintN(32, long))];
}

carryOut(work);
