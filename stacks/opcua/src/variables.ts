// The variables of the connector and the provider.
import {
  checkListening,
  listenVariables,
  Secret,
  type Static,
  scanPeriodVariable,
  Type,
  type VariableFault,
} from '@telltale/stack-kit';
import { deadbandPattern } from './item-settings.ts';

export const securityPolicies = ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'] as const;

const userFilePattern = '^[-_.0-9a-zA-Z]{0,64}$';

export const connectorVariables = Type.Object({
  endpointUrl: Type.String({
    title: 'Address of the server',
    description: 'Such as opc.tcp://192.168.0.20:4840, with a path where the server has one.',
    pattern: '^opc\\.tcp://[^\\s/:\\[\\]]{1,255}:[0-9]{1,5}(?:/[^\\s]{0,512})?$',
  }),
  securityMode: Type.Enum(['best', 'SignAndEncrypt', 'Sign', 'None'], {
    type: 'string',
    title: 'Security mode',
    description: 'best: SignAndEncrypt, else Sign. None is used only where it is chosen here.',
    default: 'best',
  }),
  securityPolicy: Type.Enum(['best', ...securityPolicies], {
    type: 'string',
    title: 'Security policy',
    description: 'best: the strongest of these that the server offers. With the mode None it has no meaning.',
    default: 'best',
  }),
  userName: Type.String({ title: 'User name', description: 'Empty: anonymous, or by certificate.', default: '' }),
  password: Secret({ title: 'Password of the user', default: '' }),
  dangerouslyTrustAnyServer: Type.Boolean({
    title: 'Give the password to whoever answers',
    description: 'With the mode None nobody knows whose certificate the password is encrypted for.',
    default: false,
  }),
  userCertificate: Type.String({
    title: 'Certificate of the user',
    description:
      'A file (DER or PEM) in the folder `user` of the connector; its private key has the same name and the ending .key.',
    default: '',
    pattern: userFilePattern,
  }),
  applicationUri: Type.String({
    title: 'Application URI of the connector',
    description: 'Stands in its certificate. Empty: made of the host name and the name of the connector.',
    default: '',
    pattern: '^[^\\s]{0,256}$',
  }),
  sessionTimeoutMs: Type.Integer({
    title: 'Milliseconds for which the server keeps a session that is silent',
    default: 30_000,
    minimum: 10_000,
    maximum: 3_600_000,
  }),
  keepAliveMs: Type.Integer({
    title: 'Milliseconds between two looks whether the server still answers',
    description: 'One that falls silent is lost after at most this and timeoutMs.',
    default: 1000,
    minimum: 100,
    maximum: 60_000,
  }),
  timeoutMs: Type.Integer({
    title: 'Milliseconds that the server has to answer a request',
    default: 3000,
    minimum: 100,
    maximum: 60_000,
  }),
  subscriptions: Type.Boolean({
    title: 'Whether values come by subscription',
    description: 'Else they are read every scanPeriodMs; so are those that the server refuses to monitor.',
    default: true,
  }),
  publishingIntervalMs: Type.Integer({
    title: 'Milliseconds between two reports of a subscription',
    description: 'Property of a point: publishingInterval.',
    default: 500,
    minimum: 10,
    maximum: 60_000,
  }),
  samplingIntervalMs: Type.Integer({
    title: 'Milliseconds between two samples of a node',
    description: '0: as fast as the server can. Property of a point: samplingInterval.',
    default: 500,
    minimum: 0,
    maximum: 3_600_000,
  }),
  queueSize: Type.Integer({
    title: 'Samples that the server keeps of a node between two reports',
    description: 'Property of a point: queueSize.',
    default: 10,
    minimum: 1,
    maximum: 10_000,
  }),
  discardOldest: Type.Boolean({
    title: 'Whether the oldest sample goes when the queue is full',
    description: 'Else the newest. Property of a point: discardOldest.',
    default: true,
  }),
  deviceDeadband: Type.String({
    title: 'Deadband that the server applies',
    description: 'A number such as 0.5, or a share of the EURange such as 1%. Property of a point: deviceDeadband.',
    default: '',
    pattern: deadbandPattern,
  }),
  itemsAtOnce: Type.Integer({
    title: 'Nodes in one request',
    description: 'A lower limit that the server tells of is kept.',
    default: 500,
    minimum: 1,
    maximum: 10_000,
  }),
  scanPeriodMs: scanPeriodVariable,
});

export type ConnectorVariables = Static<typeof connectorVariables>;

export function checkConnector(variables: ConnectorVariables): VariableFault[] {
  const { userName, password, userCertificate, securityMode, dangerouslyTrustAnyServer } = variables;
  if (variables.sessionTimeoutMs <= variables.keepAliveMs) {
    const message = 'is not longer than keepAliveMs: the server would forget the session between two looks';
    return [{ field: 'sessionTimeoutMs', message }];
  }
  if (userName !== '' && userCertificate !== '') {
    return [{ field: 'userCertificate', message: 'the user has a name already: one of the two' }];
  }
  if (userName === '' && password !== '')
    return [{ field: 'userName', message: 'is required where there is a password' }];
  if (password !== '' && securityMode === 'None' && !dangerouslyTrustAnyServer) {
    const message = 'None gives the password to whoever answers: take another mode, or say dangerouslyTrustAnyServer';
    return [{ field: 'securityMode', message }];
  }
  return [];
}

export const providerVariables = Type.Object({
  ...listenVariables(4840),
  path: Type.String({
    title: 'Path of the endpoint',
    default: '/telltale',
    pattern: '^(?:/[-_.0-9a-zA-Z]{1,64}){0,4}$',
  }),
  userName: Type.String({
    title: 'User that may read and write',
    description: 'Empty: there is none.',
    default: '',
    pattern: '^[^\\s]{0,64}$',
  }),
  password: Secret({ title: 'Password of the user', default: '' }),
  readerName: Type.String({
    title: 'User that may only read',
    description: 'Empty: there is none.',
    default: '',
    pattern: '^[^\\s]{0,64}$',
  }),
  readerPassword: Secret({ title: 'Password of the user that may only read', default: '' }),
  anonymous: Type.Boolean({
    title: 'Whether anonymous clients may read',
    description: 'They never write.',
    default: false,
  }),
  unsecured: Type.Boolean({
    title: 'Whether clients may come without security (None)',
    description: 'Passwords are encrypted still, values are not.',
    default: false,
  }),
  applicationUri: Type.String({
    title: 'Application URI of the provider',
    description: 'Stands in its certificate. Empty: made of the host name and the name of the provider.',
    default: '',
    pattern: '^[^\\s]{0,256}$',
  }),
  namespaceUri: Type.String({
    title: 'URI of the namespace of the points',
    description: 'Empty: urn:telltale: and the name of the provider.',
    default: '',
    pattern: '^[^\\s;]{0,256}$',
  }),
  maxSessions: Type.Integer({ title: 'Clients at once', default: 20, minimum: 1, maximum: 1000 }),
  maxSubscriptions: Type.Integer({ title: 'Subscriptions of a client', default: 20, minimum: 1, maximum: 1000 }),
  maxItems: Type.Integer({
    title: 'Monitored items of a subscription',
    default: 50_000,
    minimum: 1,
    maximum: 1_000_000,
  }),
});

export type ProviderVariables = Static<typeof providerVariables>;

export function checkProvider(values: ProviderVariables): VariableFault[] {
  const { userName, password, readerName, readerPassword, anonymous } = values;
  const faults = checkListening(values, { isAuthenticated: !anonymous });
  if (userName === '' && readerName === '' && !anonymous) {
    faults.push({ field: 'userName', message: 'is required, or readerName, or anonymous: nobody could come in' });
  }
  if (userName !== '' && password === '') faults.push({ field: 'password', message: 'is required' });
  if (readerName !== '' && readerPassword === '') faults.push({ field: 'readerPassword', message: 'is required' });
  if (userName !== '' && userName === readerName) {
    faults.push({ field: 'readerName', message: 'is the name of the user that may write as well: take another' });
  }
  return faults;
}
