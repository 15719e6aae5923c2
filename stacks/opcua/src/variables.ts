// The variables of the connector and the provider.
import {
  checkListening,
  listenVariables,
  Secret,
  type Static,
  scanPeriodVariable,
  servingVariables,
  Type,
  type VariableFault,
} from '@telltale/stack-kit';
import { deadbandPattern } from './item-settings.ts';
import { addressRegex } from './node-address.ts';

export const securityPolicies = ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'] as const;

const fileNamePattern = '^[-_.0-9a-zA-Z]{0,64}$';

/** Of both sides: what is accepted though Part 4 refuses it. */
const leniencyVariables = {
  dangerouslyAcceptShortKeys: Type.Boolean({
    title: 'Accept certificates with RSA keys below 2048 bits',
    description: 'Such keys can be broken.',
    default: false,
  }),
  dangerouslyAcceptOtherApplicationUri: Type.Boolean({
    title: 'Accept an application URI that differs from that of the certificate',
    description: 'The other side can then come as any application.',
    default: false,
  }),
  dangerouslyAcceptUnknownRevocation: Type.Boolean({
    title: 'Accept certificates of an authority without its revocation list',
    description:
      'A certificate that the authority has revoked is then accepted. With a list in `crl`, it is refused in any case.',
    default: false,
  }),
};

export function leniencyOf(variables: ConnectorVariables | ProviderVariables) {
  return {
    shortKeys: variables.dangerouslyAcceptShortKeys,
    otherApplicationUri: variables.dangerouslyAcceptOtherApplicationUri,
    unknownRevocation: variables.dangerouslyAcceptUnknownRevocation,
  };
}

const url = 'opc\\.tcp://[^\\s/:,\\[\\]]{1,255}:[0-9]{1,5}(?:/[^\\s,]{0,512})?';

export const connectorVariables = Type.Object({
  endpointUrl: Type.String({
    destination: true,
    title: 'Address of the server',
    description:
      'Such as opc.tcp://192.168.0.20:4840, with a path where the server has one. Of redundant servers, all of them with ' +
      'commas, the preferred one first.',
    pattern: `^${url}(?:, {0,4}${url}){0,7}$`,
    form: 'opc.tcp://HOST:PORT, with a path where the server has one; up to 8 of them, with commas',
  }),
  securityMode: Type.Enum(['best', 'SignAndEncrypt', 'Sign', 'None'], {
    type: 'string',
    title: 'Security mode',
    description: 'best: SignAndEncrypt, else Sign. None is used only if selected here.',
    default: 'best',
  }),
  securityPolicy: Type.Enum(['best', ...securityPolicies], {
    type: 'string',
    title: 'Security policy',
    description: 'best: the strongest that the server offers. Ignored with mode None.',
    default: 'best',
  }),
  serverCertificate: Type.String({
    title: 'Certificate of the server, by hand',
    description:
      'A file (DER or PEM) in the folder `trusted` of the connector, with securityMode and securityPolicy: for a server ' +
      'that lists its endpoints to nobody without security. Empty: the server is asked.',
    default: '',
    pattern: fileNamePattern,
    form: 'the name of a file, without a folder: at most 64 of 0-9, a-z, A-Z, _, - and .',
  }),
  userName: Type.String({ title: 'User name', description: 'Empty: anonymous, or by certificate.', default: '' }),
  password: Secret({ title: 'Password of the user', default: '' }),
  dangerouslyTrustAnyServer: Type.Boolean({
    destination: true,
    title: 'Send the password to an unverified server',
    description: 'With mode None the server is not verified: the password may be encrypted for an impostor.',
    default: false,
  }),
  userCertificate: Type.String({
    title: 'Certificate of the user',
    description:
      'A file (DER or PEM) in the folder `user` of the connector; its private key has the same name and the ending .key.',
    default: '',
    pattern: fileNamePattern,
    form: 'the name of a file, without a folder: at most 64 of 0-9, a-z, A-Z, _, - and .',
    certificate: 'user',
  }),
  applicationUri: Type.String({
    title: 'Application URI of the connector',
    description: 'Part of its certificate. Empty: derived from the host name and the name of the connector.',
    default: '',
    pattern: '^[^\\s]{0,256}$',
    form: 'a URI of at most 256 characters without white space',
  }),
  ...leniencyVariables,
  sessionTimeoutMs: Type.Integer({
    title: 'Milliseconds after which the server closes a silent session',
    unit: 'ms',
    default: 30_000,
    minimum: 10_000,
    maximum: 3_600_000,
  }),
  keepAliveMs: Type.Integer({
    title: 'Milliseconds between keep-alive reads',
    unit: 'ms',
    description: 'If the server falls silent, the link is lost after at most keepAliveMs plus timeoutMs.',
    default: 1000,
    minimum: 100,
    maximum: 60_000,
  }),
  timeoutMs: Type.Integer({
    title: 'Timeout of a request in milliseconds',
    unit: 'ms',
    default: 3000,
    minimum: 100,
    maximum: 60_000,
  }),
  subscriptions: Type.Boolean({
    title: 'Use subscriptions',
    description: 'false: values are read every scanPeriodMs, as are nodes that the server refuses to monitor.',
    default: true,
  }),
  publishingIntervalMs: Type.Integer({
    title: 'Publishing interval of subscriptions in milliseconds',
    unit: 'ms',
    description: 'Property of a point: publishingInterval.',
    default: 500,
    minimum: 10,
    maximum: 60_000,
  }),
  samplingIntervalMs: Type.Integer({
    title: 'Sampling interval of nodes in milliseconds',
    unit: 'ms',
    description: '0: as fast as the server can. Property of a point: samplingInterval.',
    default: 500,
    minimum: 0,
    maximum: 3_600_000,
  }),
  queueSize: Type.Integer({
    title: 'Samples of a node that the server queues between two publishes',
    description: 'Property of a point: queueSize.',
    default: 10,
    minimum: 1,
    maximum: 10_000,
  }),
  discardOldest: Type.Boolean({
    title: 'Discard the oldest sample when the queue is full',
    description: 'false: the newest. Property of a point: discardOldest.',
    default: true,
  }),
  deviceDeadband: Type.String({
    title: 'Deadband that the server applies',
    description:
      'A number such as 0.5, or a percentage of the EURange such as 1%. Property of a point: deviceDeadband.',
    default: '',
    pattern: deadbandPattern,
    form: 'a number such as 0.5, or a percentage such as 1%',
  }),
  alarmNotifier: Type.String({
    title: 'Node that reports the alarms',
    description: 'Its events are followed where alarms have addresses. i=2253 is the server itself, which reports all.',
    default: 'i=2253',
    pattern: addressRegex,
    form: 'a node such as i=2253 or ns=2;s=Tank1',
  }),
  itemsAtOnce: Type.Integer({
    title: 'Maximum number of nodes in a request',
    description: 'A lower limit of the server takes precedence.',
    default: 500,
    minimum: 1,
    maximum: 10_000,
  }),
  scanPeriodMs: scanPeriodVariable,
  backfill: Type.Enum(['auto', 'off'], {
    type: 'string',
    title: 'Fill gaps from the history of the server',
    description: 'auto: after an outage or a restart, what the server has kept meanwhile is read into the archive.',
    default: 'auto',
  }),
  backfillMaxHours: Type.Integer({
    title: 'Hours back to which gaps are filled',
    default: 24,
    minimum: 1,
    maximum: 8760,
  }),
});

export type ConnectorVariables = Static<typeof connectorVariables>;

/** The servers of a redundant set, the preferred one first; mostly one alone. */
export function endpointsOf({ endpointUrl }: Pick<ConnectorVariables, 'endpointUrl'>): string[] {
  return endpointUrl.split(/, */);
}

export function checkConnector(variables: ConnectorVariables): VariableFault[] {
  const { userName, password, userCertificate, dangerouslyTrustAnyServer } = variables;
  const { securityMode, securityPolicy, serverCertificate } = variables;
  if (variables.sessionTimeoutMs <= variables.keepAliveMs) {
    const message = 'must be longer than keepAliveMs: the session would expire between two keep-alive reads';
    return [{ field: 'sessionTimeoutMs', message }];
  }
  if (serverCertificate !== '' && (securityMode === 'best' || securityMode === 'None' || securityPolicy === 'best')) {
    const message =
      'requires a securityMode (Sign, SignAndEncrypt) and a securityPolicy: the server is not asked for them';
    return [{ field: 'serverCertificate', message }];
  }
  const endpoints = endpointsOf(variables);
  if (new Set(endpoints).size < endpoints.length) {
    return [{ field: 'endpointUrl', message: 'names a server twice' }];
  }
  if (serverCertificate !== '' && endpoints.length > 1) {
    return [{ field: 'serverCertificate', message: 'is of one server: endpointUrl names several' }];
  }
  if (userName !== '' && userCertificate !== '') {
    return [{ field: 'userCertificate', message: 'cannot be combined with userName: remove one of them' }];
  }
  if (userName === '' && password !== '') return [{ field: 'userName', message: 'is required if there is a password' }];
  if (password !== '' && securityMode === 'None' && !dangerouslyTrustAnyServer) {
    const message =
      'None sends the password to an unverified server: use another mode, or set dangerouslyTrustAnyServer';
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
    form: 'a path such as /telltale, of at most 4 parts of 0-9, a-z, A-Z, _, - and .',
  }),
  users: Type.Enum(['own', 'service'], {
    type: 'string',
    title: 'Who signs in',
    description:
      'own: the users named here. service: the users of Telltale, over secured endpoints, with what their roles permit and ' +
      'the property writes of the provider lists. Not those with a second factor.',
    default: 'own',
  }),
  userName: Type.String({
    title: 'User that may read and write',
    description: 'Empty: none.',
    default: '',
    pattern: '^[^\\s]{0,64}$',
    form: 'a user name of at most 64 characters without white space',
  }),
  password: Secret({ title: 'Password of the user', default: '' }),
  readerName: Type.String({
    title: 'User that may only read',
    description: 'Empty: none.',
    default: '',
    pattern: '^[^\\s]{0,64}$',
    form: 'a user name of at most 64 characters without white space',
  }),
  readerPassword: Secret({ title: 'Password of the user that may only read', default: '' }),
  anonymous: Type.Boolean({
    title: 'Allow anonymous clients to read',
    description: 'They never write.',
    default: false,
  }),
  unsecured: Type.Boolean({
    title: 'Allow clients without security (mode None)',
    description: 'Passwords are still encrypted, values are not.',
    default: false,
  }),
  applicationUri: Type.String({
    title: 'Application URI of the provider',
    description: 'Part of its certificate. Empty: derived from the host name and the name of the provider.',
    default: '',
    pattern: '^[^\\s]{0,256}$',
    form: 'a URI of at most 256 characters without white space',
  }),
  namespaceUri: Type.String({
    title: 'URI of the namespace of the points',
    description: 'Empty: urn:telltale: and the name of the provider.',
    default: '',
    pattern: '^[^\\s;]{0,256}$',
    form: 'a URI of at most 256 characters without white space and semicolons',
  }),
  ...leniencyVariables,
  ...servingVariables,
  maxSessions: Type.Integer({ title: 'Maximum number of clients', default: 20, minimum: 1, maximum: 1000 }),
  reservedSessions: Type.Integer({
    title: 'Number of clients that anonymous clients leave room for',
    description: 'Of maxSessions; for users, where there are any.',
    default: 2,
    minimum: 0,
    maximum: 1000,
  }),
  maxSubscriptions: Type.Integer({
    title: 'Maximum number of subscriptions per client',
    default: 20,
    minimum: 1,
    maximum: 1000,
  }),
  maxItems: Type.Integer({
    title: 'Maximum number of monitored items per subscription',
    default: 50_000,
    minimum: 1,
    maximum: 1_000_000,
  }),
});

export type ProviderVariables = Static<typeof providerVariables>;

export function namesUsers({ users, userName, readerName }: ProviderVariables): boolean {
  return users === 'service' || userName !== '' || readerName !== '';
}

export function checkProvider(values: ProviderVariables): VariableFault[] {
  const { users, userName, password, readerName, readerPassword, anonymous } = values;
  const faults = checkListening(values, { isAuthenticated: !anonymous });
  if (!namesUsers(values) && !anonymous) {
    faults.push({
      field: 'userName',
      message: 'is required, or readerName, anonymous, or users=service: otherwise no client can connect',
    });
  }
  for (const field of ['userName', 'readerName'] as const) {
    if (users === 'service' && values[field] !== '') {
      faults.push({ field, message: 'cannot be set where users is service: remove it, or set users to own' });
    }
  }
  if (userName !== '' && password === '') faults.push({ field: 'password', message: 'is required' });
  if (readerName !== '' && readerPassword === '') faults.push({ field: 'readerPassword', message: 'is required' });
  if (userName !== '' && userName === readerName) {
    faults.push({ field: 'readerName', message: 'must differ from userName' });
  }
  if (anonymous && namesUsers(values) && values.reservedSessions >= values.maxSessions) {
    const message = 'must be less than maxSessions: otherwise no anonymous client can connect';
    faults.push({ field: 'reservedSessions', message });
  }
  return faults;
}
