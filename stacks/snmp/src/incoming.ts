// Messages that others send us, of their own accord: who may, whether they are who they say, and what to answer to those
// that are not. Used by the agent and by the listener for traps.
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@telltale/schema';
import type { AllowedClients } from '@telltale/stack-kit';
import { type Account, type CommunityAccount, isCommunity, isUser, type UserAccount } from './account.ts';
import { integerContent, Malformed, tag } from './ber.ts';
import type { LocalEngine } from './local-engine.ts';
import {
  type CommunityMessage,
  decodeMessage,
  decodeScoped,
  encodeCommunityMessage,
  encodeScoped,
  encodeSecured,
  maxMessageBytes,
  type ScopedPdu,
  type SecuredMessage,
} from './message.ts';
import { encodePdu, encodeVarbinds, type Pdu, pduType } from './pdu.ts';
import { RemoteEngine } from './remote-engine.ts';
import type { UsmUser } from './usm.ts';

export interface IncomingOptions {
  readonly clock: Clock;
  /** From elsewhere, only version 3 with at least `openLevel` is heard. */
  readonly allowed: AllowedClients;
  readonly openLevel: 'authNoPriv' | 'authPriv';
  readonly accounts: readonly Account[];
  /** Undefined where no account is a user. */
  readonly engine: LocalEngine | undefined;
  /** Whether traps of version 3 are heard, which are the sender's engine's. */
  readonly hearsTraps: boolean;
}

export interface Heard {
  readonly version: Account['version'];
  readonly pdu: Pdu;
  /** For the log, and to distinguish senders. */
  readonly securityName: string;
  readonly mayWrite: boolean;
  /** Undefined where it is not signed: the same twice is the same message, played back. */
  readonly signature: string | undefined;
  /** That the sender takes. */
  readonly maxBytes: number;
  seal(pdu: Buffer): Buffer;
}

type ReportName = keyof typeof reportArcs;

/** Below 1.3.6.1.6.3.15.1.1. */
export const reportArcs = {
  unsupportedSecLevels: 1,
  notInTimeWindows: 2,
  unknownUserNames: 3,
  unknownEngineIds: 4,
  wrongDigests: 5,
  decryptionErrors: 6,
} as const;

const maxSenders = 1000;

export class Incoming {
  /** Of datagrams, by what was wrong with them; named as the standard's own counters are. */
  readonly counts = {
    packets: 0,
    malformed: 0,
    notAllowed: 0,
    badCommunityNames: 0,
    unsupportedSecLevels: 0,
    notInTimeWindows: 0,
    unknownUserNames: 0,
    unknownEngineIds: 0,
    wrongDigests: 0,
    decryptionErrors: 0,
  };
  readonly #options: IncomingOptions;
  readonly #communities: readonly CommunityAccount[];
  readonly #users: ReadonlyMap<string, UserAccount>;
  /** Engines that have sent us traps, the one that was heard longest ago first. */
  readonly #senders = new Map<string, RemoteEngine>();

  constructor(options: IncomingOptions) {
    this.#options = options;
    this.#communities = options.accounts.filter(isCommunity);
    this.#users = new Map(options.accounts.filter(isUser).map((account) => [account.user.name, account]));
  }

  /** What is to be carried out; else, at times, the bytes of a report to send back. Never throws. */
  hear(bytes: Buffer, address: string): Heard | Buffer | undefined {
    this.counts.packets++;
    try {
      const isAllowed = this.#options.allowed.allows(address);
      const message = decodeMessage(bytes);
      if (message.version === '3') return this.#hearSecured(message, isAllowed);
      if (isAllowed) return this.#hearCommunity(message);
      this.counts.notAllowed++;
    } catch {
      // `Malformed`; and whatever else a datagram can make go wrong must not end the process either.
      this.counts.malformed++;
    }
    return undefined;
  }

  /** A community is heard in both versions: neither is more secure. */
  #hearCommunity({ version, community, pdu }: CommunityMessage): Heard | undefined {
    const known = this.#communities.find((each) => isSame(each.community, community));
    if (known === undefined) {
      this.counts.badCommunityNames++;
      return undefined;
    }
    return {
      version,
      pdu,
      securityName: known.name,
      mayWrite: known.mayWrite,
      signature: undefined,
      maxBytes: maxMessageBytes,
      seal: (answer) => encodeCommunityMessage(version, community, answer),
    };
  }

  #hearSecured(message: SecuredMessage, isAllowed: boolean): Heard | Buffer | undefined {
    const known = this.#users.get(message.user);
    const { engine } = this.#options;
    if (engine === undefined) {
      this.counts.unknownUserNames++;
      return undefined;
    }
    if (!isAllowed && !this.#isOpenTo(known)) {
      this.counts.notAllowed++;
      return undefined;
    }
    const isOurs = message.engineId.equals(engine.engineId);
    const isTrap = !isOurs && this.#options.hearsTraps && !message.isReportable && message.engineId.length >= 5;
    if (!isOurs && !isTrap) return this.#report('unknownEngineIds', engine, message);
    if (known === undefined) return this.#report('unknownUserNames', engine, message);
    const { user, mayWrite } = known;
    if (message.isAuthenticated !== user.hasAuth || message.isEncrypted !== user.hasPriv) {
      return this.#report('unsupportedSecLevels', engine, message);
    }
    if (user.hasAuth && !user.isSigned(message)) return this.#report('wrongDigests', engine, message);
    if (
      user.hasAuth &&
      !(isTrap ? this.#isNew(message) : engine.isInTimeWindow(message.engineBoots, message.engineTime))
    ) {
      return this.#report('notInTimeWindows', engine, message, user);
    }
    let scoped: ScopedPdu;
    try {
      scoped = user.open(message);
    } catch (error) {
      if (!(error instanceof Malformed) || !message.isEncrypted) throw error;
      return this.#report('decryptionErrors', engine, message);
    }
    const { pdu, contextEngineId, contextName } = scoped;
    if (isTrap !== (pdu.type === pduType.trap) && this.#options.hearsTraps) throw new Malformed('not of that engine');
    // The objects of a trap or inform are in the context of its sender.
    const isContext = this.#options.hearsTraps || (contextName === '' && contextEngineId.equals(engine.engineId));
    if (!isContext) throw new Malformed('a context that is not here');
    return {
      version: '3',
      pdu,
      securityName: known.name,
      mayWrite,
      signature: user.hasAuth ? message.authParameters.toString('hex') : undefined,
      maxBytes: Math.max(484, Math.min(message.maxSize, maxMessageBytes)),
      seal: (answer) =>
        user.seal(
          engine.now(),
          { msgId: message.msgId, isReportable: false },
          encodeScoped(contextEngineId, contextName, answer),
        ),
    };
  }

  /** Whether a stranger's address may speak as this user; before it is known as whom, as any. */
  #isOpenTo(account: UserAccount | undefined): boolean {
    const accounts = account === undefined ? [...this.#users.values()] : [account];
    return accounts.some(({ user }) => user.hasPriv || (user.hasAuth && this.#options.openLevel === 'authNoPriv'));
  }

  /** Of a signed trap: later than what its engine has sent before, within the window. */
  #isNew(message: SecuredMessage): boolean {
    const name = message.engineId.toString('hex');
    const known = this.#senders.get(name);
    this.#senders.delete(name);
    this.#senders.set(name, known ?? new RemoteEngine(this.#options.clock, message, true));
    const oldest = this.#senders.keys().next().value;
    if (this.#senders.size > maxSenders && oldest !== undefined) this.#senders.delete(oldest);
    return known?.accepts(message) ?? true;
  }

  /** Signed by the user where it is known who asks, which is where only the time is wrong. */
  #report(name: ReportName, engine: LocalEngine, message: SecuredMessage, user?: UsmUser): Buffer | undefined {
    const count = ++this.counts[name];
    if (!message.isReportable) return undefined;
    const requestId = message.isEncrypted ? 0 : requestIdOf(message);
    const counter = {
      oid: `1.3.6.1.6.3.15.1.1.${reportArcs[name]}.0`,
      tag: tag.counter32,
      content: integerContent(count % 2 ** 32),
    };
    const head = { type: pduType.report, requestId, errorStatus: 0, errorIndex: 0 };
    const scoped = encodeScoped(engine.engineId, '', encodePdu(head, encodeVarbinds([counter])));
    const header = { msgId: message.msgId, isReportable: false };
    // A client whose time is out of the window gets the time in an authenticated report.
    if (user !== undefined) return user.seal(engine.now(), header, scoped, { isEncrypted: false });
    const { boots, time } = engine.now();
    const none = Buffer.alloc(0);
    return encodeSecured({
      ...header,
      isAuthenticated: false,
      isEncrypted: false,
      engineId: engine.engineId,
      engineBoots: boots,
      engineTime: time,
      user: message.user,
      authParameters: none,
      privParameters: none,
      scoped,
    }).bytes;
  }
}

function requestIdOf(message: SecuredMessage): number {
  try {
    return decodeScoped(message.scoped).pdu.requestId;
  } catch {
    return 0;
  }
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The answer to a request that was carried out, or why not. */
export function responsePdu(requestId: number, status: number, index: number, varbinds: Buffer): Buffer {
  return encodePdu({ type: pduType.response, requestId, errorStatus: status, errorIndex: index }, varbinds);
}
