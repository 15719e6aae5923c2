// A server of the library with alarms and conditions, in a process of its own: `node alarm-device-main.ts <folder> <port>`.
// Told what to do by messages of its parent, one answer each. What clients acknowledge, the library does by itself.
import { join } from 'node:path';
import { systemClock } from '@telltale/schema';
import {
  DataType,
  LogLevel,
  MessageSecurityMode,
  SecurityPolicy,
  StatusCodes,
  setLogLevel,
  Variant,
} from 'node-opcua-client';
import { OPCUAServer } from 'node-opcua-server';
import { CertificateFolder } from '../src/certificate-folder.ts';
import { carryOut } from './ordered-process.ts';

setLogLevel(LogLevel.Emergency);

const [folder = '.', port = '0'] = process.argv.slice(2);
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const applicationUri = 'urn:telltale:alarm-device';
const certificates = new CertificateFolder({
  folder,
  applicationUri,
  applicationName: 'device',
  clock: systemClock,
  log,
});
await certificates.initialize();
certificates.checkCertificate = async () => StatusCodes.Good;

const server = new OPCUAServer({
  port: Number(port),
  host: '127.0.0.1',
  hostname: '127.0.0.1',
  resourcePath: '/device',
  allowAnonymous: true,
  serverCertificateManager: certificates as never,
  certificateFile: join(folder, 'own', 'certificate.pem'),
  privateKeyFile: join(folder, 'own', 'private-key.pem'),
  serverInfo: { applicationUri },
  securityModes: [MessageSecurityMode.None],
  securityPolicies: [SecurityPolicy.None],
});
await server.initialize();
const addressSpace = server.engine.addressSpace;
if (addressSpace === null) throw new Error('the server has no address space');
addressSpace.installAlarmsAndConditionsService();
const namespace = addressSpace.getOwnNamespace();
const tank = namespace.addObject({
  organizedBy: addressSpace.rootFolder.objects,
  browseName: 'Tank',
  nodeId: 's=Tank',
  eventNotifier: 1,
  notifierOf: addressSpace.rootFolder.objects.server,
});

interface Order {
  readonly kind: 'show' | 'panel' | 'branch' | 'branches' | 'flood' | 'disable' | 'comment' | 'refreshRequired';
  readonly name: string;
  readonly active?: boolean;
  readonly acked?: boolean;
  readonly text?: string;
  readonly count?: number;
}

type Condition = ReturnType<typeof namespace.instantiateAlarmCondition>;

function add(name: string): Condition {
  const source = namespace.addVariable({
    componentOf: tank,
    browseName: `${name}Source`,
    nodeId: `s=${name}Source`,
    dataType: 'Double',
    eventSourceOf: tank,
  });
  const condition = namespace.instantiateAlarmCondition('AlarmConditionType', {
    browseName: name,
    nodeId: `s=${name}`,
    conditionName: name,
    componentOf: tank,
    conditionSource: source,
    inputNode: source.nodeId,
  });
  condition.setEnabledState(true);
  condition.currentBranch().setSeverity(900);
  condition.currentBranch().setAckedState(true);
  return condition;
}

/** All that were made. */
const branches: ReturnType<Condition['createBranch']>[] = [];
const conditions = new Map(['High', 'Low'].map((name) => [name, add(name)]));

function show(condition: Condition, active: boolean, acked: boolean, text: string): void {
  const branch = condition.currentBranch();
  branch.setActiveState(active);
  if (branch.getAckedState() !== acked) branch.setAckedState(acked);
  branch.setRetain(active || !acked);
  branch.setTime(new Date());
  branch.setMessage(text);
  condition.raiseNewBranchState(branch);
}

/** By what is told of a condition to people at the device. */
function stateOf(condition: Condition) {
  const branch = condition.currentBranch();
  return { active: branch.getActiveState(), acked: branch.getAckedState(), comment: branch.getComment().text };
}

function work({ kind, name, active = false, acked = false, text = '', count = 0 }: Order): unknown {
  const condition = conditions.get(name) as Condition;
  switch (kind) {
    case 'show':
      show(condition, active, acked, text);
      return undefined;
    case 'panel': {
      const branch = condition.currentBranch();
      condition.clientUserId.setValueFromSource(new Variant({ dataType: DataType.String, value: text }));
      show(condition, branch.getActiveState(), true, 'acknowledged');
      return undefined;
    }
    case 'branch': {
      // An earlier occurrence that nobody has acknowledged, beside the present state.
      const branch = condition.createBranch();
      branch.setRetain(true);
      condition.raiseNewBranchState(branch);
      branches.push(branch);
      return undefined;
    }
    case 'branches':
      return branches.map((branch) => branch.getAckedState());
    case 'disable':
      condition.setEnabledState(false);
      condition.raiseNewBranchState(condition.currentBranch());
      return undefined;
    case 'flood':
      for (let at = 1; at <= count; at++) show(condition, at % 2 === 1, false, `flood ${at}`);
      return undefined;
    case 'refreshRequired':
      addressSpace?.rootFolder.objects.server.raiseEvent('RefreshRequiredEventType', {});
      return undefined;
    case 'comment':
      return stateOf(condition);
  }
}

await server.start();
carryOut(work);
