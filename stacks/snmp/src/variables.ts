// The variables of the connector and of the provider, and how they must go together.
import {
  checkListening,
  Entries,
  listenVariables,
  readEntries,
  Secret,
  type Static,
  scanPeriodVariable,
  servingVariables,
  Type,
  timeoutVariable,
  type VariableFault,
} from '@telltale/stack-kit';
import { parseHosts } from './address.ts';
import { isOid } from './oid.ts';

export const securityLevels = ['noAuthNoPriv', 'authNoPriv', 'authPriv'] as const;
export const authProtocols = ['md5', 'sha', 'sha224', 'sha256', 'sha384', 'sha512'] as const;
export const privProtocols = ['des', 'aes', 'aes256', 'aes256c'] as const;

const userVariables = {
  user: Type.String({
    title: 'Name of the user of version 3',
    default: '',
    pattern: '^[\\x20-\\x7e]{0,32}$',
    form: 'at most 32 characters of ASCII',
  }),
  securityLevel: Type.Enum(securityLevels, {
    title: 'Security of version 3',
    description: 'Whether messages are authenticated, and whether they are encrypted as well.',
    default: 'authPriv',
  }),
  authProtocol: Type.Enum(authProtocols, {
    title: 'Authentication protocol',
    description: 'MD5 and SHA-1 (`sha`) are for devices that support nothing better.',
    default: 'sha256',
  }),
  authKey: Secret({ title: 'Authentication passphrase', description: 'At least 8 characters.', default: '' }),
  privProtocol: Type.Enum(privProtocols, {
    title: 'Privacy protocol',
    description: '`aes` is AES-128. `aes256` derives its key as net-snmp and most others do, `aes256c` as Cisco does.',
    default: 'aes',
  }),
  privKey: Secret({ title: 'Privacy passphrase', description: 'At least 8 characters.', default: '' }),
};

const communityVersion = Type.Enum(['2c', '1'], { title: 'Version of a community', default: '2c' });

/** Of an entry in `accounts`. */
export const accountVariables = Type.Object({
  community: Secret({ title: 'Community of version 1 or 2c', default: '' }),
  version: communityVersion,
  ...userVariables,
  context: Type.String({ title: 'Context of version 3', default: '' }),
  mayWrite: Type.Boolean({ title: 'Allow this account to write, of a provider', default: false }),
});

function accountsVariable(use: string) {
  return Entries({
    title: 'Further communities and users',
    description: `${use} An entry has a \`community\` or a \`user\` of version 3, and the variables that belong to it.`,
    entries: accountVariables,
  });
}

export const connectorVariables = Type.Object({
  hosts: Type.String({
    destination: true,
    title: 'Agent, or agents with names',
    description:
      'Such as `192.0.2.7`, or `switch1=192.0.2.1, switch2=192.0.2.2:1161, ups=[2001:db8::7]`: then addresses begin with ' +
      'a name, as in `switch2/ifInOctets.3`. `ups=joe@192.0.2.9` uses the account joe.',
  }),
  port: Type.Integer({
    destination: true,
    title: 'UDP port of agents without one',
    default: 161,
    minimum: 1,
    maximum: 65535,
  }),
  version: Type.Enum(['1', '2c', '3'], {
    title: 'Version of SNMP',
    description: 'Version 1 is for devices that support nothing better.',
    default: '2c',
  }),
  community: Secret({
    title: 'Community of versions 1 and 2c',
    description: 'It is sent unencrypted.',
    default: '',
  }),
  ...userVariables,
  context: Type.String({
    title: 'Context of version 3',
    description: 'Empty for nearly all agents.',
    default: '',
    pattern: '^[\\x20-\\x7e]{0,64}$',
    form: 'at most 64 characters of ASCII',
  }),
  accounts: accountsVariable('For agents that differ, by `account@host`; traps are accepted of all.'),
  scanPeriodMs: scanPeriodVariable,
  timeoutMs: timeoutVariable,
  retries: Type.Integer({
    title: 'Retries of a read within timeoutMs',
    description: 'Datagrams get lost. A set is never retried.',
    default: 1,
    minimum: 0,
    maximum: 5,
  }),
  maxVarbinds: Type.Integer({
    title: 'Maximum number of objects in a request',
    description: 'Reduced automatically for an agent that answers tooBig.',
    default: 40,
    minimum: 1,
    maximum: 200,
  }),
  requestsAtOnce: Type.Integer({
    title: 'Maximum number of concurrent requests per agent',
    description: 'Increase it to read many objects over a slow link, if the agent supports it.',
    default: 1,
    minimum: 1,
    maximum: 16,
  }),
  bulk: Type.Boolean({
    title: 'Read neighbouring rows of a column with GETBULK',
    description: 'Disable it for agents with a faulty GETBULK.',
    default: true,
  }),
  trapPort: Type.Integer({
    title: 'UDP port for traps and informs',
    description: '0: none. The standard port is 162, which requires privileges.',
    default: 0,
    minimum: 0,
    maximum: 65535,
  }),
  trapHost: Type.String({
    title: 'Address on which to listen for traps',
    description: '`0.0.0.0` or `::` listens on all addresses of the machine.',
    default: '127.0.0.1',
    pattern: '^[0-9a-zA-Z.:_%-]{1,255}$',
    form: 'a host name or IP address',
  }),
  trapSenders: Type.String({
    title: 'Who may send traps of versions 1 and 2c',
    description:
      'Addresses and networks such as `10.0.0.7, 192.168.5.0/24`, separated by commas. This machine and authenticated ' +
      'users of version 3 always may. Required to listen beyond this machine with a community.',
    default: '',
  }),
});

export const providerVariables = Type.Object({
  ...listenVariables(1161),
  community: Secret({
    title: 'Community of versions 1 and 2c that may read',
    description: 'Empty: there is none. It is sent unencrypted.',
    default: '',
  }),
  writeCommunity: Secret({
    title: 'Community of versions 1 and 2c that may read and write',
    description: 'Empty: there is none.',
    default: '',
  }),
  ...userVariables,
  userMayWrite: Type.Boolean({ title: 'Allow the user of version 3 to write', default: true }),
  accounts: accountsVariable('Clients may come as any of them.'),
  baseOid: Type.String({
    title: 'Object identifier below which points are served',
    description:
      'The default is the subtree that net-snmp reserves for experiments, which no device uses. If you have an enterprise ' +
      'number, use it here.',
    default: '1.3.6.1.4.1.8072.9999.9999',
  }),
  badQuality: Type.Enum(['noSuchInstance', 'lastValue'], {
    title: 'What is served for a point of bad quality',
    description:
      '`noSuchInstance`: no value, so that a stale one is not mistaken for a current one. Quality and time are always served.',
    default: 'noSuchInstance',
  }),
  location: Type.String({ title: 'Value of sysLocation.0', default: '' }),
  trapReceivers: Type.String({
    destination: true,
    title: 'Receivers of traps',
    description:
      'Hosts to which alarms of served measurements are sent, such as `192.0.2.5, joe@192.0.2.6:1162`. Without an account ' +
      'before the @: with `community`, or else as `user`. Port 162 where none is given. Empty: none.',
    default: '',
  }),
  informs: Type.Boolean({
    title: 'Send informs in place of traps',
    description: 'A receiver confirms an inform, so that it can be repeated until it has arrived. Version 1 has none.',
    default: false,
  }),
  ...servingVariables,
});

export type ConnectorVariables = Static<typeof connectorVariables>;
export type ProviderVariables = Static<typeof providerVariables>;
type UserVariables = Pick<
  ConnectorVariables,
  'user' | 'securityLevel' | 'authProtocol' | 'authKey' | 'privProtocol' | 'privKey'
>;

export function checkConnector(values: ConnectorVariables): VariableFault[] {
  const { faults, needsMain } = checkHosts('hosts', values.hosts, values.port, values.accounts);
  if (needsMain && values.version !== '3' && values.community === '') {
    faults.push({ field: 'community', message: `is required for version ${values.version}` });
  }
  if (needsMain && values.version === '3' && values.user === '') {
    faults.push({ field: 'user', message: 'is required for version 3' });
  }
  faults.push(...checkUser(values), ...checkAccounts(values));
  if (values.trapPort === 0) return faults;
  const isAuthenticated = allAre(['authNoPriv', 'authPriv'], values, values.community);
  const listening = checkListening({ host: values.trapHost, allowedClients: values.trapSenders }, { isAuthenticated });
  return [...faults, ...listening.map((fault) => ({ ...fault, field: 'trapSenders' }))];
}

export function checkProvider(values: ProviderVariables): VariableFault[] {
  const faults: VariableFault[] = [...checkUser(values), ...checkAccounts(values)];
  const { community, writeCommunity, user, accounts, trapReceivers } = values;
  if (community === '' && writeCommunity === '' && user === '' && accounts === '') {
    faults.push({ field: 'community', message: 'is required, or a user of version 3: otherwise no client can read' });
  }
  if (community !== '' && community === writeCommunity) {
    faults.push({ field: 'community', message: 'must differ from writeCommunity: change it or leave it empty' });
  }
  if (trapReceivers !== '') {
    const receivers = checkHosts('trapReceivers', trapReceivers, trapPort, accounts);
    faults.push(...receivers.faults);
    if (receivers.needsMain && community === '' && user === '') {
      faults.push({ field: 'trapReceivers', message: 'needs a community, a user, or an account before the @' });
    }
  }
  if (!isOid(values.baseOid) || values.baseOid.split('.').length > 64) {
    faults.push({ field: 'baseOid', message: 'is not an object identifier, such as 1.3.6.1.4.1.8072.9999.9999' });
  } else if (!values.baseOid.startsWith('1.3.6.1.4.1.')) {
    faults.push({ field: 'baseOid', message: 'must begin with 1.3.6.1.4.1, the subtree of enterprises' });
  }
  const isAuthenticated = allAre(['authPriv'], values, community + writeCommunity);
  return [...faults, ...checkListening(values, { isAuthenticated })];
}

/** The standard port of those who receive traps. */
export const trapPort = 162;

/** Whether each is a host with an account that there is; whether one has none of its own. */
function checkHosts(field: string, text: string, port: number, accounts: string) {
  const faults: VariableFault[] = [];
  let needsMain = true;
  try {
    const hosts = parseHosts(text, port);
    const names = readEntries(accountVariables, accounts).map(({ name }) => name);
    needsMain = hosts.some(({ account }) => account === undefined);
    for (const { account } of hosts) {
      if (account !== undefined && !names.includes(account)) {
        faults.push({ field, message: `names an account ${JSON.stringify(account)} that accounts does not have` });
      }
    }
  } catch (error) {
    faults.push({ field, message: (error as Error).message });
  }
  return { faults, needsMain };
}

/** Whether everybody is a user of one of these levels. */
function allAre(levels: readonly string[], values: UserVariables & { readonly accounts: string }, community: string) {
  const entries = readEntries(accountVariables, values.accounts).map((entry) => entry.values);
  const users = [values, ...entries].filter(({ user }) => user !== '');
  const hasCommunity = community !== '' || entries.some(({ user }) => user === '');
  return !hasCommunity && users.every(({ securityLevel }) => levels.includes(securityLevel));
}

function checkAccounts({ accounts, user, community }: Named): VariableFault[] {
  const entries = readEntries(accountVariables, accounts);
  const wrong = (message: string) => ({ field: 'accounts', message });
  const faults = entries.flatMap(({ name, values }) => {
    if ((values.user === '') === (values.community === '')) {
      return [wrong(`has an entry ${name} that needs either a community or a user`)];
    }
    return checkUser(values).map(({ field, message }) => wrong(`has an entry ${name} in which ${field} ${message}`));
  });
  const all = [{ user, community, mayWrite: false }, ...entries.map(({ values }) => values)];
  const users = all.map((each) => each.user).filter((name) => name !== '');
  if (new Set(users).size < users.length) faults.push(wrong('has a user that is there already'));
  const mayWrite = new Set(all.filter((each) => each.mayWrite).map((each) => each.community));
  if (all.some((each) => each.community !== '' && !each.mayWrite && mayWrite.has(each.community))) {
    faults.push(wrong('has a community that may write, and is there already as one that may not'));
  }
  return faults;
}

type Named = Pick<ConnectorVariables, 'accounts' | 'user' | 'community'>;

function checkUser({ user, securityLevel, authKey, privKey }: UserVariables): VariableFault[] {
  if (user === '' || securityLevel === 'noAuthNoPriv') return [];
  const faults: VariableFault[] = [];
  const check = (field: string, key: string) => {
    // A secret in a file is checked when it has been read.
    if (key.length < 8 && !key.startsWith('file:')) faults.push({ field, message: 'must have at least 8 characters' });
  };
  check('authKey', authKey);
  if (securityLevel === 'authPriv') check('privKey', privKey);
  return faults;
}
