// Which sessions the server of the library opens, beyond what it checks itself: only of applications that are called what their
// certificates say, and of anonymous clients only as many as leave places for users.
import {
  AnonymousIdentityToken,
  MessageSecurityMode,
  ServiceFault,
  type StatusCode,
  StatusCodes,
} from 'node-opcua-client';
import { type CertificateFolder, urisOf } from './certificate-folder.ts';
import { namesUsers, type ProviderVariables } from './variables.ts';

interface Channel {
  readonly securityMode: MessageSecurityMode;
  readonly clientCertificate: Buffer | null;
  readonly remoteAddress: string;
  send_response(kind: 'MSG', response: ServiceFault, message: Message): void;
}

interface Message {
  readonly request: { readonly clientDescription?: { applicationUri: string | null } };
}

interface Session {
  readonly status: string;
  readonly userIdentityToken?: unknown;
}

type Answer = (error: Error | null, isAuthorized?: boolean, status?: StatusCode) => void;

/** Undocumented parts of the library's server. */
interface Server {
  readonly engine: { readonly _sessions: Readonly<Record<string, Session>> };
  _on_CreateSessionRequest(message: Message, channel: Channel): unknown;
  isUserAuthorized(channel: Channel, session: Session, token: unknown, answer: Answer): unknown;
}

export function guardSessions(server: object, variables: ProviderVariables, certificates: CertificateFolder): void {
  checkApplications(server as Server, variables, certificates);
  keepPlaces(server as Server, variables);
}

function checkApplications(server: Server, variables: ProviderVariables, certificates: CertificateFolder): void {
  const create = server._on_CreateSessionRequest.bind(server);
  server._on_CreateSessionRequest = (message, channel) => {
    const { securityMode, clientCertificate, remoteAddress } = channel;
    const { clientDescription } = message.request;
    if (securityMode === MessageSecurityMode.None || clientCertificate === null || clientDescription === undefined) {
      return create(message, channel);
    }
    const uri = clientDescription.applicationUri ?? '';
    const serviceResult = certificates.checkApplicationUri(clientCertificate, uri, remoteAddress);
    if (serviceResult.isBad()) {
      return channel.send_response('MSG', new ServiceFault({ responseHeader: { serviceResult } }), message);
    }
    // The library compares them too, and has no setting for it.
    if (variables.dangerouslyAcceptOtherApplicationUri) {
      clientDescription.applicationUri = urisOf(clientCertificate)[0] ?? uri;
    }
    return create(message, channel);
  };
}

function keepPlaces(server: Server, variables: ProviderVariables): void {
  const { maxSessions, reservedSessions } = variables;
  const hasUsers = namesUsers(variables);
  const maxAnonymous = hasUsers ? maxSessions - reservedSessions : maxSessions;
  const isAuthorized = server.isUserAuthorized.bind(server);
  server.isUserAuthorized = (channel, session, token, answer) => {
    const others = Object.values(server.engine._sessions).filter((each) => each !== session && isAnonymous(each));
    if (token instanceof AnonymousIdentityToken && others.length >= maxAnonymous) {
      return answer(null, false, StatusCodes.BadTooManySessions);
    }
    return isAuthorized(channel, session, token, answer);
  };
}

function isAnonymous({ status, userIdentityToken }: Session): boolean {
  return status === 'active' && userIdentityToken instanceof AnonymousIdentityToken;
}
