// A server of the library that plays the device, in a process of its own: `node device-main.ts <folder> <port> <options>`.
// Told what to do by messages of its parent, one answer each.
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { systemClock } from '@telltale/schema';
import {
  ActivateSessionRequest,
  CreateMonitoredItemsRequest,
  CreateSubscriptionRequest,
  DataType,
  DeleteMonitoredItemsRequest,
  DeleteSubscriptionsRequest,
  LogLevel,
  MessageSecurityMode,
  resolveNodeId,
  SecurityPolicy,
  type StatusCode,
  StatusCodes,
  setLogLevel,
  Variant,
  VariantArrayType,
} from 'node-opcua-client';
import { OPCUAServer, type ServerSession } from 'node-opcua-server';
import { CertificateFolder } from '../src/certificate-folder.ts';
import { addMethods } from './device-methods.ts';
import { addStructures, nodesetFiles } from './device-structures.ts';
import { carryOut } from './ordered-process.ts';

setLogLevel(LogLevel.Emergency);

const [folder = '.', port = '0', given = '{}'] = process.argv.slice(2);
/** `isHidden`: it says nothing to whom it does not know; `isMisnamed`: it is not whom its certificate names; the others are capabilities. */
const { isHidden = false, isMisnamed = false, ...limits } = JSON.parse(given);
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const certificates = new CertificateFolder({
  folder,
  applicationUri: 'urn:telltale:test-device',
  applicationName: 'device',
  clock: systemClock,
  log,
});
await certificates.initialize();
// A device that trusts everyone: what is tested is whom the connector trusts.
certificates.checkCertificate = async () => StatusCodes.Good;

interface Order {
  readonly kind: 'set' | 'get' | 'status' | 'many' | 'forget' | 'tick' | 'asked' | 'remove' | 'add' | 'calls' | 'level';
  readonly node?: string;
  readonly value?: unknown;
  readonly type?: string;
}

/** Of users: the one who is called joe. */
const users = {
  referenceCounter: 0,
  initialize: async () => {},
  dispose: async () => {},
  checkCertificate(certificate: Buffer, answer: (error: Error | null, status: StatusCode) => void) {
    const isJoe = new X509Certificate(certificate).subject.includes('CN=joe');
    answer(null, isJoe ? StatusCodes.Good : StatusCodes.BadIdentityTokenRejected);
  },
};

const server = new OPCUAServer({
  port: Number(port),
  host: '127.0.0.1',
  hostname: '127.0.0.1',
  resourcePath: '/device',
  nodeset_filename: nodesetFiles,
  allowAnonymous: true,
  serverCertificateManager: certificates as never,
  userCertificateManager: users as never,
  certificateFile: join(folder, 'own', 'certificate.pem'),
  privateKeyFile: join(folder, 'own', 'private-key.pem'),
  serverInfo: { applicationUri: isMisnamed ? 'urn:telltale:another' : 'urn:telltale:test-device' },
  disableDiscovery: isHidden,
  securityModes: [
    ...(isHidden ? [] : [MessageSecurityMode.None]),
    MessageSecurityMode.Sign,
    MessageSecurityMode.SignAndEncrypt,
  ],
  securityPolicies: [
    ...(isHidden ? [] : [SecurityPolicy.None]),
    SecurityPolicy.Basic256Sha256,
    SecurityPolicy.Aes128_Sha256_RsaOaep,
    SecurityPolicy.Aes256_Sha256_RsaPss,
  ],
  userManager: { isValidUser: (user: string, password: string) => user === 'joe' && password === 'secret' },
  maxConnectionsPerEndpoint: 2000,
  serverCapabilities: {
    maxSessions: 2000,
    operationLimits: { maxNodesPerRead: 2000, maxMonitoredItemsPerCall: 2000 },
    ...limits,
  },
});
await server.initialize();
const addressSpace = server.engine.addressSpace;
if (addressSpace === null) throw new Error('the server has no address space');
const namespace = addressSpace.getOwnNamespace();
const plant = namespace.addFolder('ObjectsFolder', { browseName: 'Plant' });

function add(name: string, dataType: DataType, value: unknown, more: object = {}) {
  const variable = namespace.addVariable({
    componentOf: plant,
    browseName: name,
    nodeId: `s=${name}`,
    dataType: DataType[dataType],
    minimumSamplingInterval: 10,
    ...more,
  });
  const arrayType = 'valueRank' in more ? VariantArrayType.Array : VariantArrayType.Scalar;
  variable.setValueFromSource(new Variant({ dataType, arrayType, value }));
  return variable;
}

// Its device has not answered yet.
namespace.addVariable({ componentOf: plant, browseName: 'Silent', nodeId: 's=Silent', dataType: 'Float' });
add('Level', DataType.Double, 0.5, { description: 'Level of the tank' });
add('Count', DataType.Int32, 0);
add('Total', DataType.Int64, [0, 0]);
add('Label', DataType.String, '');
add('Open', DataType.Boolean, false);
add('Setpoint', DataType.Double, 0);
add('Speed', DataType.Int32, 0);
// Whoever samples it as fast as it can be gets every change.
const ticks = { count: 0, variable: add('Ticks', DataType.Int32, 0, { minimumSamplingInterval: 0 }) };
const ticking: { timer?: NodeJS.Timeout } = {};
// Behind a gateway that has lost sight of its device, which takes the value.
add('Gateway', DataType.Double, 0).bindVariable(
  {
    get: () => new Variant({ dataType: DataType.Double, value: 0 }),
    set: () => StatusCodes.BadTimeout,
  },
  true,
);
add('Locked', DataType.Int32, 0, { accessLevel: 'CurrentRead', userAccessLevel: 'CurrentRead' });
add('Temperatures', DataType.Float, new Float32Array([1, 2, 3, 4]), {
  valueRank: 1,
  arrayDimensions: [4],
});
namespace.addVariable({
  componentOf: plant,
  browseName: 'Grid',
  nodeId: 's=Grid',
  dataType: 'Double',
  valueRank: 2,
  arrayDimensions: [2, 3],
  value: {
    dataType: DataType.Double,
    arrayType: VariantArrayType.Matrix,
    dimensions: [2, 3],
    value: [1, 2, 3, 4, 5, 6],
  },
});
for (const type of [
  DataType.SByte,
  DataType.Byte,
  DataType.Int16,
  DataType.UInt16,
  DataType.UInt32,
  DataType.UInt64,
  DataType.Float,
  DataType.DateTime,
  DataType.Guid,
  DataType.ByteString,
  DataType.LocalizedText,
]) {
  add(`Any${DataType[type]}`, type, startOf(type));
}
addStructures(addressSpace, plant);
const calls = addMethods(addressSpace, plant);
namespace.addAnalogDataItem({
  componentOf: plant,
  browseName: 'Flow',
  nodeId: 's=Flow',
  dataType: 'Double',
  engineeringUnitsRange: { low: 0, high: 100 },
  engineeringUnits: { displayName: { text: 'm³/h' }, namespaceUri: 'urn:x', unitId: 1, description: { text: 'm³/h' } },
  value: { dataType: DataType.Double, value: 7 },
});

function startOf(type: DataType): unknown {
  switch (type) {
    case DataType.UInt64:
      return [0, 0];
    case DataType.DateTime:
      return new Date(0);
    case DataType.Guid:
      return '00000000-0000-0000-0000-000000000000';
    case DataType.ByteString:
      return Buffer.alloc(0);
    case DataType.LocalizedText:
      return { text: '' };
    default:
      return 0;
  }
}

function variableOf(node = '') {
  const found = addressSpace?.findNode(node);
  if (found === undefined || found === null || !('setValueFromSource' in found)) throw new Error(`no node ${node}`);
  return found as unknown as {
    setValueFromSource(value: Variant, status?: unknown, time?: Date): void;
    readValue(): { value: Variant };
  };
}

async function work({ kind, node, value, type }: Order): Promise<unknown> {
  switch (kind) {
    case 'set': {
      const variable = variableOf(node);
      const dataType = variable.readValue().value.dataType;
      const long = typeof value === 'string' && dataType === DataType.Int64 ? BigInt(value) : undefined;
      const shown =
        long === undefined ? value : [Number(BigInt.asUintN(32, long >> 32n)), Number(BigInt.asUintN(32, long))];
      variable.setValueFromSource(new Variant({ dataType, arrayType: VariantArrayType.Scalar, value: shown }));
      return undefined;
    }
    case 'status': {
      const variable = variableOf(node);
      const status = (StatusCodes as unknown as Record<string, unknown>)[String(value)];
      variable.setValueFromSource(variable.readValue().value, status, type === undefined ? undefined : new Date(type));
      return undefined;
    }
    case 'get': {
      const { value: variant } = variableOf(node).readValue();
      return variant.dataType === DataType.Int64
        ? String((BigInt(variant.value[0] | 0) << 32n) | BigInt(variant.value[1] >>> 0))
        : ArrayBuffer.isView(variant.value)
          ? Array.from(variant.value as unknown as ArrayLike<number>)
          : variant.value;
    }
    case 'many': {
      const count = Number(value);
      const made = Array.from({ length: count }, (_, at) => add(`Item${at}`, DataType.Double, at));
      if (type !== undefined) {
        let round = 0;
        setInterval(() => {
          round++;
          for (const [at, each] of made.entries()) {
            each.setValueFromSource(new Variant({ dataType: DataType.Double, value: at + (round % 1000) / 1000 }));
          }
        }, Number(type));
      }
      return undefined;
    }
    case 'tick': {
      // Counts up every so many milliseconds; answers with the last number when it is told to end.
      clearInterval(ticking.timer);
      if (value === undefined) return ticks.count;
      const tick = () => {
        ticks.variable.setValueFromSource(new Variant({ dataType: DataType.Int32, value: ++ticks.count }));
      };
      ticking.timer = setInterval(tick, Number(value));
      return undefined;
    }
    case 'asked':
      return asked;
    case 'level':
      // Of its service: how well it can be used.
      levelOf.service = Number(value);
      return undefined;
    case 'calls':
      return calls.splice(0);
    case 'remove':
      addressSpace?.deleteNode(resolveNodeId(node ?? ''));
      return undefined;
    case 'add': {
      // A Double, by its node id: of a namespace that may be a new one.
      const at = type === undefined ? namespace : addressSpace?.registerNamespace(type);
      const browseName = String(node);
      const made = at?.addVariable({ componentOf: plant, browseName, nodeId: `s=${node}`, dataType: 'Double' });
      made?.setValueFromSource(new Variant({ dataType: DataType.Double, value }));
      return undefined;
    }
    case 'forget': {
      // The sessions of its clients, as a server does whose memory they were in; their connections stay.
      const { _sessions: sessions } = server.engine as unknown as { _sessions: Record<string, ServerSession> };
      for (const { authenticationToken } of Object.values(sessions)) {
        server.engine.closeSession(authenticationToken, true, 'Forcing');
      }
      return undefined;
    }
  }
}

const levelOf = { service: 255 };
const serviceLevel = addressSpace.findNode('ns=0;i=2267') as unknown as {
  bindVariable(binding: { get: () => Variant }, overwrite: boolean): void;
};
const getLevel = () => new Variant({ dataType: DataType.Byte, value: levelOf.service });
serviceLevel.bindVariable({ get: getLevel }, true);

/** What clients have asked for since the start. */
const asked = { activated: 0, created: 0, deleted: 0, subscriptions: 0, ended: 0, samplings: [] as number[] };
server.on('request', (request) => {
  if (request instanceof CreateMonitoredItemsRequest) {
    asked.created += request.itemsToCreate?.length ?? 0;
    for (const each of request.itemsToCreate ?? []) asked.samplings.push(each.requestedParameters.samplingInterval);
  } else if (request instanceof DeleteMonitoredItemsRequest) asked.deleted += request.monitoredItemIds?.length ?? 0;
  else if (request instanceof ActivateSessionRequest) asked.activated++;
  else if (request instanceof CreateSubscriptionRequest) asked.subscriptions++;
  else if (request instanceof DeleteSubscriptionsRequest) asked.ended += request.subscriptionIds?.length ?? 0;
});

await server.start();
carryOut(work);
