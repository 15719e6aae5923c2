// Sessions of clients that sign in as users of the service: the server checks their passwords, and says when they have to end.
import { createHash } from 'node:crypto';
import { onAbort } from '@telltale/schema';
import { type ProviderOptions, type ProviderUser, Refused, type StackLog } from '@telltale/stack-kit';
import {
  MessageSecurityMode,
  type NodeId,
  type StatusCode,
  StatusCodes,
  UserNameIdentityToken,
} from 'node-opcua-client';

interface Channel {
  readonly securityMode: MessageSecurityMode;
  readonly clientCertificate: Buffer | null;
  readonly remoteAddress: string;
}

/** Of the library. */
export interface UaSession {
  readonly status: string;
  readonly authenticationToken: NodeId;
  readonly sessionContext: object;
}

type Answer = (error: Error | null, isAuthorized?: boolean, status?: StatusCode) => void;

/** Undocumented parts of the library's server. */
interface Server {
  readonly engine: {
    getSession(token: NodeId): UaSession | null;
    closeSession(token: NodeId, deleteSubscriptions: boolean, ...rest: unknown[]): void;
  };
  isUserAuthorized(channel: Channel, session: UaSession, token: unknown, answer: Answer): unknown;
  on(event: 'session_closed', listener: (session: UaSession) => void): unknown;
}

export interface UserSessionsOptions {
  readonly signIn: ProviderOptions<unknown>['signIn'];
  readonly log: StackLog;
}

export class UserSessions {
  readonly #options: UserSessionsOptions;
  readonly #users = new WeakMap<object, ProviderUser>();
  /** On which a session is being activated. */
  readonly #channels = new WeakMap<object, Channel>();

  constructor(options: UserSessionsOptions) {
    this.#options = options;
  }

  /** Who has signed in; undefined: a client without a user. */
  of(session: object | undefined): ProviderUser | undefined {
    return session && this.#users.get(session);
  }

  install(server: object): void {
    const served = server as Server;
    const isAuthorized = served.isUserAuthorized.bind(server);
    served.isUserAuthorized = (channel, session, token, answer) => {
      const isUser = token instanceof UserNameIdentityToken;
      // Whoever listens to a link without security could go on with the session as that user.
      if (isUser && channel.securityMode === MessageSecurityMode.None) {
        return answer(null, false, StatusCodes.BadSecurityModeInsufficient);
      }
      this.#channels.set(session, channel);
      return isAuthorized(channel, session, token, (error, isRight, status) => {
        if (!isUser && isRight) this.#leave(session);
        answer(error, isRight, status);
      });
    };
    served.on('session_closed', (session) => this.#leave(session));
    const close = served.engine.closeSession.bind(served.engine);
    // What a user has subscribed to must not wait for one who may see less.
    served.engine.closeSession = (token, deleteSubscriptions, ...rest) =>
      close(token, deleteSubscriptions || this.of(served.engine.getSession(token) ?? undefined) !== undefined, ...rest);
    this.#end = (session) => {
      const { engine } = served;
      if (engine.getSession(session.authenticationToken) !== null) {
        engine.closeSession(session.authenticationToken, true, 'Terminated');
      }
    };
  }

  /** Whether the password is that of the user, who then has the session. */
  async signIn(session: UaSession, name: string, password: string): Promise<boolean> {
    const { signIn, log } = this.#options;
    const channel = this.#channels.get(session);
    if (channel === undefined) return false;
    const { remoteAddress: source, clientCertificate } = channel;
    try {
      const device = clientCertificate && createHash('sha256').update(clientCertificate).digest('hex');
      const user = await signIn({ user: name, password, source, ...(device && { device }) });
      this.#leave(session);
      if (session.status === 'closed') {
        user.signOut();
        return false;
      }
      this.#users.set(session, user);
      onAbort(user.ended, () => {
        if (this.#users.get(session) === user) this.#end(session);
      });
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      log.info(`${JSON.stringify(name.slice(0, 80))} of ${source} is not let in: ${error.message}`);
      return false;
    }
  }

  #end: (session: UaSession) => void = () => {};

  #leave(session: object): void {
    this.#users.get(session)?.signOut();
    this.#users.delete(session);
  }
}
