// The server of the library as the provider wants it: secured, bounded, with the users that the variables name.
import { createHash, timingSafeEqual } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '@telltale/schema';
import { AllowedClients } from '@telltale/stack-kit';
import {
  LogLevel,
  MessageSecurityMode,
  makeNodeId,
  type NodeId,
  SecurityPolicy,
  StatusCodes,
  setLogLevel,
  WellKnownRoles,
} from 'node-opcua-client';
import { OPCUAServer, type OPCUAServerOptions, RegisterServerMethod } from 'node-opcua-server';
import type { CertificateFolder } from './certificate-folder.ts';
import { guardArrays } from './guarded-arrays.ts';
import { guardSessions } from './guarded-sessions.ts';
import { guardRequests } from './guarded-socket.ts';
import { maxHistoryNodes } from './history-reads.ts';
import { type Channel, mendChannel } from './mended-channel.ts';
import type { UaSession, UserSessions } from './user-sessions.ts';
import type { ProviderVariables } from './variables.ts';

export interface UaServerOptions {
  readonly variables: ProviderVariables;
  readonly applicationUri: string;
  readonly certificates: CertificateFolder;
  readonly clock: Clock;
  /** Undefined: the users are those of the variables. */
  readonly users?: UserSessions | undefined;
}

/** Enough for a browse of some 50,000 points. Anybody may have the server hold so much a connection, user or not. */
const maxMessageBytes = 8 * 1024 * 1024;
export const chunkBytes = 16 * 1024;
const maxNodesInRequest = 10_000;
/** Beside those with a session, so many channels may be on their way to one. */
const spareConnections = 5;
/** A wrong password is answered after so long. */
const wrongPasswordMs = 1000;
const everyInterface = ['0.0.0.0', '::'];

export function makeServer(options: UaServerOptions): OPCUAServer {
  const { variables, applicationUri, certificates, clock, users } = options;
  setLogLevel(LogLevel.Emergency);
  guardArrays();
  const { maxSessions, maxSubscriptions, maxItems, unsecured, host } = variables;
  const server = new OPCUAServer({
    port: variables.port,
    host,
    hostname: everyInterface.includes(host) ? hostname() : host,
    resourcePath: variables.path,
    allowAnonymous: variables.anonymous,
    serverInfo: { applicationUri, productUri: 'urn:telltale', applicationName: { text: 'Telltale' } },
    buildInfo: { productName: 'Telltale', manufacturerName: 'Telltale' },
    registerServerMethod: RegisterServerMethod.HIDDEN,
    certificateFile: certificates.ownFiles.certificate,
    privateKeyFile: certificates.ownFiles.privateKey,
    serverCertificateManager: certificates as never,
    userCertificateManager: noUserCertificates as never,
    securityModes: [
      MessageSecurityMode.SignAndEncrypt,
      MessageSecurityMode.Sign,
      ...(unsecured ? [MessageSecurityMode.None] : []),
    ],
    securityPolicies: [
      SecurityPolicy.Aes256_Sha256_RsaPss,
      SecurityPolicy.Basic256Sha256,
      SecurityPolicy.Aes128_Sha256_RsaOaep,
      ...(unsecured ? [SecurityPolicy.None] : []),
    ],
    userManager: users === undefined ? userManager(variables, clock) : serviceUserManager(users),
    maxConnectionsPerEndpoint: maxSessions + spareConnections,
    transportSettings: { adjustTransportLimits } as unknown as NonNullable<OPCUAServerOptions['transportSettings']>,
    serverCapabilities: {
      // Who asks for every change gets every change.
      minSupportedSampleRate: 0,
      maxSessions,
      maxSubscriptions: maxSessions * maxSubscriptions,
      maxSubscriptionsPerSession: maxSubscriptions,
      maxMonitoredItems: maxSessions * maxItems,
      maxMonitoredItemsPerSubscription: maxItems,
      maxBrowseContinuationPoints: 100,
      operationLimits: {
        maxNodesPerRead: maxNodesInRequest,
        maxNodesPerHistoryReadData: maxHistoryNodes,
        maxNodesPerWrite: 1000,
        maxNodesPerBrowse: maxNodesInRequest,
        maxNodesPerMethodCall: 100,
        maxNodesPerTranslateBrowsePathsToNodeIds: maxNodesInRequest,
        maxMonitoredItemsPerCall: maxNodesInRequest,
      },
    },
  });
  guardRequests(server);
  guardSessions(server, variables, certificates);
  const allowed =
    variables.allowedClients.trim() === '' ? AllowedClients.everyone : AllowedClients.parse(variables.allowedClients);
  server.on('newChannel', (channel) => {
    if (!allowed.allows(channel.remoteAddress))
      (channel as unknown as { abruptlyInterrupt(): void }).abruptlyInterrupt();
    // The library asks without saying of whom.
    const { remoteAddress } = channel;
    mendChannel(channel as unknown as Channel, clock);
    const checkCertificate = (certificate: Buffer) => certificates.checkCertificate(certificate, remoteAddress);
    Object.defineProperty(channel, 'certificateManager', { value: { checkCertificate } });
  });
  return server;
}

/** What a client may make the server hold: what it asks for, but no more than this. */
function adjustTransportLimits(asked: Record<string, number>): Record<string, number> {
  const within = (value: number | undefined, most: number) =>
    value === undefined || value === 0 ? most : Math.min(value, most);
  return {
    ...asked,
    maxMessageSize: within(asked.maxMessageSize, maxMessageBytes),
    maxChunkCount: within(asked.maxChunkCount, maxMessageBytes / chunkBytes),
    receiveBufferSize: within(asked.receiveBufferSize, chunkBytes),
    sendBufferSize: within(asked.sendBufferSize, chunkBytes),
  };
}

const role = (number: number): NodeId => makeNodeId(number, 0);

/** Who may write and acknowledge is an operator; who may only read, an observer. */
function userManager(variables: ProviderVariables, clock: Clock) {
  const { userName, password, readerName, readerPassword } = variables;
  const users = new Map<string, Buffer>();
  if (readerName !== '') users.set(readerName, digest(readerPassword));
  if (userName !== '') users.set(userName, digest(password));
  const nobody = digest('');
  return {
    isValidUserAsync(name: string, given: string, answer: (error: Error | null, isValid?: boolean) => void) {
      const known = users.get(name);
      const isRight = timingSafeEqual(known ?? nobody, digest(given)) && known !== undefined;
      if (isRight) answer(null, true);
      else clock.after(wrongPasswordMs, () => answer(null, false));
    },
    getUserRoles: (name: string): NodeId[] =>
      name === userName && userName !== ''
        ? [role(WellKnownRoles.AuthenticatedUser), role(WellKnownRoles.Observer), role(WellKnownRoles.Operator)]
        : [
            role(users.has(name) ? WellKnownRoles.AuthenticatedUser : WellKnownRoles.Anonymous),
            role(WellKnownRoles.Observer),
          ],
  };
}

/** What each may write and acknowledge, the server says of each request. */
function serviceUserManager(users: UserSessions) {
  return {
    isValidUserAsync(
      this: UaSession,
      name: string,
      given: string,
      answer: (error: Error | null, isValid?: boolean) => void,
    ) {
      users.signIn(this, name, given).then((isRight) => answer(null, isRight), answer);
    },
    getUserRoles: (): NodeId[] => [
      role(WellKnownRoles.AuthenticatedUser),
      role(WellKnownRoles.Observer),
      role(WellKnownRoles.Operator),
    ],
  };
}

function digest(password: string): Buffer {
  return createHash('sha256').update(password).digest();
}

type CheckAnswer = (error: Error | null, status: unknown) => void;

/** Users come by name and password; a certificate of a user opens nothing. */
const noUserCertificates = {
  referenceCounter: 0,
  initialize: async () => {},
  dispose: async () => {},
  checkCertificate(_certificate: unknown, answer?: CheckAnswer) {
    answer?.(null, StatusCodes.BadIdentityTokenRejected);
    return Promise.resolve(StatusCodes.BadIdentityTokenRejected);
  },
};
