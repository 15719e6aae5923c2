// Who may do what: signing in, and users, roles, tokens and sessions, over HTTP.
import type {
  ClientCertificate,
  ClientCertificateBody,
  Directories,
  Group,
  GroupBody,
  Identity,
  Role,
  RoleBody,
  Session,
  SignIn,
  Token,
  TokenBody,
  User,
  UserBody,
} from '@telltale/schema';
import { TelltaleProblem } from './errors.ts';
import { OperationCalls } from './operation-calls.ts';
import { SecondFactors } from './second-factors.ts';
import type { AskOptions, Transport } from './transport.ts';

export class AccessManagement {
  readonly #calls: OperationCalls;
  readonly users: Users;
  readonly roles: Roles;
  readonly groups: Groups;
  readonly clientCertificates: ClientCertificates;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  /** Of whoever has signed in. */
  readonly secondFactors: SecondFactors;

  constructor(transport: Transport) {
    const calls = new OperationCalls(transport);
    this.#calls = calls;
    this.users = new Users(calls);
    this.roles = new Roles(calls);
    this.groups = new Groups(calls);
    this.clientCertificates = new ClientCertificates(calls);
    this.tokens = new Tokens(calls);
    this.sessions = new Sessions(calls);
    this.secondFactors = new SecondFactors(calls);
  }

  /** Who asks, and what it may do. Its kind is `nobody` where it brings no credentials and there are users. */
  me({ signal }: AskOptions = {}): Promise<Identity> {
    return this.#calls.json('getIdentity', {}, { signal });
  }

  /** From where users may come who are not local. */
  directories({ signal }: AskOptions = {}): Promise<Directories> {
    return this.#calls.json('getDirectories', {}, { signal });
  }

  /** Begins a session. Its cookie stays in the browser; elsewhere, whoever calls must keep it, or make a token. */
  signIn(credentials: SignIn, { signal }: AskOptions = {}): Promise<Identity> {
    return this.#calls.json('signIn', credentials, { signal });
  }

  signOut({ signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('signOut', {}, { signal });
  }

  /** The first administrator. Over the socket in the data folder, or with the code of the one-time link. */
  init(user: string, password: string, { code, signal }: AskOptions & { readonly code?: string } = {}): Promise<void> {
    return this.#calls.send('initAccess', { user, password, code }, { signal });
  }

  /** Over the socket in the data folder: the user `recovery` manages users for 4 hours. */
  recover(password: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('recoverAccess', { password }, { signal });
  }

  /** Of whoever has signed in. Their other sessions end. */
  changePassword(current: string, password: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('changePassword', { current, password }, { signal });
  }

  /** Why the service lets nobody in with these credentials; undefined where it does, or says nothing. */
  async refusal(options?: AskOptions): Promise<TelltaleProblem | undefined> {
    try {
      const { kind } = await this.me(options);
      return kind === 'nobody' ? TelltaleProblem.of('not-signed-in', 'The request has no credentials.') : undefined;
    } catch (error) {
      return error instanceof TelltaleProblem && error.status === 401 ? error : undefined;
    }
  }
}

class Users {
  readonly #calls: OperationCalls;

  constructor(calls: OperationCalls) {
    this.#calls = calls;
  }

  list({ signal }: AskOptions = {}): Promise<Record<string, User>> {
    return this.#calls.collection('listUsers', {}, { signal });
  }

  get(account: string, { signal }: AskOptions = {}): Promise<User> {
    return this.#calls.json('getUser', { account }, { signal });
  }

  put(account: string, body: UserBody, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('putUser', { account, ...body }, { signal });
  }

  /** Their sessions end. */
  setPassword(account: string, password: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('setPassword', { account, password }, { signal });
  }

  /** Of a user who has lost them. Their sessions end. */
  removeSecondFactors(account: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('removeSecondFactors', { account }, { signal });
  }

  delete(account: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('deleteUser', { account }, { signal });
  }
}

class Roles {
  readonly #calls: OperationCalls;

  constructor(calls: OperationCalls) {
    this.#calls = calls;
  }

  list({ signal }: AskOptions = {}): Promise<Record<string, Role>> {
    return this.#calls.collection('listRoles', {}, { signal });
  }

  get(account: string, { signal }: AskOptions = {}): Promise<Role> {
    return this.#calls.json('getRole', { account }, { signal });
  }

  put(account: string, body: RoleBody, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('putRole', { account, ...body }, { signal });
  }

  delete(account: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('deleteRole', { account }, { signal });
  }
}

/** Groups of directories, with what their members may do. */
class Groups {
  readonly #calls: OperationCalls;

  constructor(calls: OperationCalls) {
    this.#calls = calls;
  }

  list({ signal }: AskOptions = {}): Promise<Record<string, Group>> {
    return this.#calls.collection('listGroups', {}, { signal });
  }

  get(account: string, { signal }: AskOptions = {}): Promise<Group> {
    return this.#calls.json('getGroup', { account }, { signal });
  }

  put(account: string, body: GroupBody, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('putGroup', { account, ...body }, { signal });
  }

  delete(account: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('deleteGroup', { account }, { signal });
  }
}

/** Certificates by which programs are known where the service takes TLS, with what these may do. */
class ClientCertificates {
  readonly #calls: OperationCalls;

  constructor(calls: OperationCalls) {
    this.#calls = calls;
  }

  list({ signal }: AskOptions = {}): Promise<Record<string, ClientCertificate>> {
    return this.#calls.collection('listClientCertificates', {}, { signal });
  }

  get(account: string, { signal }: AskOptions = {}): Promise<ClientCertificate> {
    return this.#calls.json('getClientCertificate', { account }, { signal });
  }

  put(account: string, body: ClientCertificateBody, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('putClientCertificate', { account, ...body }, { signal });
  }

  delete(account: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('deleteClientCertificate', { account }, { signal });
  }
}

class Tokens {
  readonly #calls: OperationCalls;

  constructor(calls: OperationCalls) {
    this.#calls = calls;
  }

  list({ signal }: AskOptions = {}): Promise<Record<string, Token>> {
    return this.#calls.collection('listTokens', {}, { signal });
  }

  /** Resolves with the token itself, which is shown this once. Only a user who has signed in makes one. */
  async make(account: string, body: TokenBody, { signal }: AskOptions = {}): Promise<string> {
    const { token } = await this.#calls.json<{ token: string }, 'makeToken'>(
      'makeToken',
      { account, ...body },
      { signal },
    );
    return token;
  }

  delete(account: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('deleteToken', { account }, { signal });
  }
}

class Sessions {
  readonly #calls: OperationCalls;

  constructor(calls: OperationCalls) {
    this.#calls = calls;
  }

  list({ signal }: AskOptions = {}): Promise<Session[]> {
    return this.#calls.json('listSessions', {}, { signal });
  }

  /** By its id. */
  end(session: string, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('endSession', { session }, { signal });
  }
}
