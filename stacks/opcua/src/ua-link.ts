// The link to one server: discovery, channel, session, and requests with their time limits. A link that is lost is never
// repaired: a new one replaces it.
import { type Clock, unlessAborted } from '@telltale/schema';
import { BackOff, type Meter, NotConnected, notPermitted, type StackLog } from '@telltale/stack-kit';
import {
  AttributeIds,
  type ClientSession,
  CloseSessionRequest,
  type EndpointDescription,
  type NodeId,
  ReadRequest,
  type StatusCode,
  StatusCodes,
  TimestampsToReturn,
} from 'node-opcua-client';
import { CertificateFolder } from './certificate-folder.ts';
import { checkName, checkSecurity, chooseSecurity, identityOf, type Security, unsecured } from './link-security.ts';
import { isOneOf, ServiceFault, Unanswered } from './service-fault.ts';
import { StructureTypes } from './structure-types.ts';
import { UaClient } from './ua-client.ts';
import { type ConnectorVariables, leniencyOf } from './variables.ts';

export interface LinkOptions {
  readonly name: string;
  readonly endpointUrl: string;
  readonly variables: ConnectorVariables;
  readonly applicationUri: string;
  readonly folder: string;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly log: StackLog;
  readonly mayWrite: () => boolean;
}

/** The server does not know the session: it has carried out nothing, and never will. */
const unknownSession: readonly StatusCode[] = [
  StatusCodes.BadSessionIdInvalid,
  StatusCodes.BadSessionNotActivated,
  StatusCodes.BadSecureChannelIdInvalid,
  StatusCodes.BadSecurityChecksFailed,
];
/** The session has ended; what was under way may have been carried out. */
const endedSession: readonly StatusCode[] = [StatusCodes.BadSessionClosed, StatusCodes.BadSecureChannelClosed];

interface Header {
  timeoutHint: number;
  authenticationToken: NodeId;
}
interface Request {
  requestHeader: Header;
}
interface Answer {
  readonly responseHeader: { readonly serviceResult: StatusCode; readonly timestamp: Date | null };
}

/** Undocumented parts of the library's client: plain requests, which are never retried. */
interface Transactor {
  performMessageTransaction(
    request: Request,
    callback: (error: (Error & { response?: Answer }) | null, response?: Answer) => void,
  ): void;
}

const closeMs = 500;
/** A server that refuses the user is not asked again at once: it might lock the account. */
const refusedUserMs = 60_000;
const userRefusals = [
  StatusCodes.BadIdentityTokenRejected,
  StatusCodes.BadIdentityTokenInvalid,
  StatusCodes.BadUserAccessDenied,
  StatusCodes.BadUserSignatureInvalid,
];
/** How servers say that they do not trust the client; some have the same word for other faults. */
const distrusts = [StatusCodes.BadSecurityChecksFailed, StatusCodes.BadCertificateUntrusted];

export class UaLink {
  readonly session: ClientSession;
  readonly types: StructureTypes;
  namespaces: readonly string[] = [];
  /** How many nodes a request may have, by what is asked of them. */
  limits: Limits;
  /** Resolves with the reason when the link is lost. */
  readonly lost: Promise<string>;
  readonly #client: UaClient;
  readonly #options: LinkOptions;
  readonly #resolveLost: (reason: string) => void;
  #lostReason: string | undefined;

  private constructor(client: UaClient, session: ClientSession, options: LinkOptions) {
    this.#client = client;
    this.session = session;
    this.#options = options;
    const { itemsAtOnce, timeoutMs } = options.variables;
    this.types = new StructureTypes(session, options.clock, 3 * timeoutMs);
    this.limits = { read: itemsAtOnce, monitor: itemsAtOnce, translate: itemsAtOnce };
    const { promise, resolve } = Promise.withResolvers<string>();
    this.lost = promise;
    this.#resolveLost = resolve;
    client.client.once('close', (error) => this.#lose(client.reasonOf(error)));
  }

  /** Throws `NotConnected` or `BackOff`. */
  static async open(options: LinkOptions, signal: AbortSignal): Promise<UaLink> {
    const { folder, applicationUri, clock, log, variables } = options;
    const certificates = new CertificateFolder({
      folder,
      applicationUri,
      applicationName: 'Telltale',
      peer: options.endpointUrl,
      clock,
      log,
      leniency: leniencyOf(variables),
    });
    await certificates.initialize();
    if (variables.dangerouslyTrustAnyServer) {
      log.warn('dangerouslyTrustAnyServer: the password is sent to any server at this address');
    }
    const security = await chooseSecurity(variables, folder, certificates, () =>
      discover(options, certificates, signal),
    );
    const client = newClient(options, certificates, security);
    try {
      await inTime(options, signal, client.client.connect(options.endpointUrl));
      const endpoints = await inTime(options, signal, client.client.getEndpoints());
      checkSecurity(security, endpoints, variables);
      if (variables.serverCertificate !== '') checkName(security, endpoints, certificates);
      const session = await inTime(options, signal, client.client.createSession(await identityOf(variables, folder)));
      const link = new UaLink(client, session, options);
      await unlessAborted(signal, link.getToKnow());
      return link;
    } catch (error) {
      await client.destroy();
      signal.throwIfAborted();
      throw notConnected(error, client);
    }
  }

  /** Throws `NotConnected` (nothing sent), `Unanswered` (no answer) or `ServiceFault` (refused as a whole). */
  transact<Response>(request: object, limitMs = this.#options.variables.timeoutMs): Promise<Response> {
    return this.#send(request, limitMs, this.#options.meter);
  }

  /** As `transact`, for a request that changes something. */
  async change<Response>(request: object): Promise<Response> {
    if (!this.#options.mayWrite()) throw new NotConnected(notPermitted);
    return this.transact(request);
  }

  /** As `transact`, for a request that the server answers when it has data: its round trip is not measured. */
  wait<Response>(request: object, limitMs: number): Promise<Response> {
    return this.#send(request, limitMs, undefined);
  }

  async #send<Response>(request: object, limitMs: number, meter: Meter | undefined): Promise<Response> {
    if (this.#lostReason !== undefined) throw new NotConnected(this.#lostReason);
    const { clock } = this.#options;
    const sent = request as Request;
    if (this.session.authenticationToken) sent.requestHeader.authenticationToken = this.session.authenticationToken;
    sent.requestHeader.timeoutHint = limitMs;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const startMs = performance.now();
    const cancel = clock.after(limitMs, () => {
      meter?.failed();
      reject(new Unanswered(`the server has not answered for ${limitMs} ms`));
    });
    (this.#client.client as unknown as Transactor).performMessageTransaction(sent, (error, response) => {
      cancel();
      const answer = response ?? error?.response;
      const status = answer?.responseHeader.serviceResult;
      if (answer === undefined || status === undefined) {
        meter?.failed();
        reject(new Unanswered(this.#lostReason ?? this.#client.reasonOf(error)));
      } else {
        meter?.answered(performance.now() - startMs);
        const isUnknown = isOneOf(unknownSession, status);
        if (isUnknown || isOneOf(endedSession, status)) {
          this.#lose(`the server has ended the session: ${status.name}`);
          reject(isUnknown ? new NotConnected(this.#lostReason) : new Unanswered(this.#lostReason));
        } else if (status.isBad()) reject(new ServiceFault(status));
        else resolve(answer as Response);
      }
    });
    return promise;
  }

  /** Namespaces and limits: asked again where a namespace is missing that may have come meanwhile. */
  async getToKnow(): Promise<void> {
    const request = new ReadRequest({
      nodesToRead: [2255, ...limitNodes].map((id) => ({ nodeId: `ns=0;i=${id}`, attributeId: AttributeIds.Value })),
      timestampsToReturn: TimestampsToReturn.Neither,
    });
    const { results } = await this.transact<{ results: { value?: { value?: unknown } }[] | null }>(request);
    const [uris, read, monitor, translate] = results?.map(({ value }) => value?.value) ?? [];
    if (Array.isArray(uris)) this.namespaces = uris.map(String);
    const { itemsAtOnce } = this.#options.variables;
    const within = (limit: unknown) =>
      typeof limit === 'number' && limit > 0 ? Math.min(limit, itemsAtOnce) : itemsAtOnce;
    this.limits = { read: within(read), monitor: within(monitor), translate: within(translate) };
  }

  /** Nothing more is sent: there is nobody to say goodbye to. */
  abandon(reason: string): void {
    this.#lose(reason);
  }

  /** Says goodbye where the link still holds. */
  async close(): Promise<void> {
    if (this.#lostReason === undefined) {
      const goodbye = this.transact(new CloseSessionRequest({ deleteSubscriptions: true }), closeMs);
      await goodbye.catch(() => undefined);
    }
    this.#lostReason ??= 'closed';
    await this.#client.destroy();
  }

  #lose(reason: string): void {
    this.#lostReason ??= reason;
    this.#resolveLost(this.#lostReason);
  }
}

export interface Limits {
  readonly read: number;
  readonly monitor: number;
  readonly translate: number;
}

/** MaxNodesPerRead, MaxMonitoredItemsPerCall, MaxNodesPerTranslateBrowsePathsToNodeIds. */
const limitNodes = [11705, 11714, 11712];

function newClient(
  { name, applicationUri, variables }: LinkOptions,
  certificates: CertificateFolder,
  security: Security,
) {
  const { sessionTimeoutMs } = variables;
  return new UaClient({ name, applicationUri, certificates, sessionTimeoutMs, ...security });
}

/** The endpoints of the server, read without security: no secret is sent, and the answer is not trusted yet. */
async function discover(
  options: LinkOptions,
  certificates: CertificateFolder,
  signal: AbortSignal,
): Promise<EndpointDescription[]> {
  const client = newClient(options, certificates, unsecured);
  try {
    await inTime(options, signal, client.client.connect(options.endpointUrl));
    return await inTime(options, signal, client.client.getEndpoints());
  } catch (error) {
    signal.throwIfAborted();
    const { message } = notConnected(error, client);
    const isHidden = client.refusal !== undefined || message.includes('BadSecurity');
    throw new NotConnected(isHidden ? `${message}; if it lists its endpoints to nobody: serverCertificate` : message);
  } finally {
    await client.destroy();
  }
}

function notConnected(error: unknown, client: UaClient): NotConnected {
  if (error instanceof NotConnected && client.refusal === undefined) return error;
  const message = client.reasonOf(error);
  if (userRefusals.some(({ name }) => message.includes(name))) {
    return new BackOff(refusedUserMs, `the server refuses the user: ${message}`);
  }
  const isDistrusted = distrusts.some(({ name }) => message.includes(name));
  return new NotConnected(isDistrusted ? `${message}: it may not trust the certificate of this connector` : message);
}

/** A step of connecting is up to three requests. */
async function inTime<T>({ clock, variables }: LinkOptions, signal: AbortSignal, step: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const limitMs = 3 * variables.timeoutMs;
  const cancel = clock.after(limitMs, () => reject(new NotConnected(`no answer for ${limitMs} ms`)));
  try {
    return await unlessAborted(signal, Promise.race([step, late]));
  } finally {
    cancel();
    step.catch(() => undefined);
  }
}
