// This server as one of several nodes of a site: it acts for the site while it leads, and waits while another one does. What acting and waiting
// are, the service says.
import {
  type Clock,
  type Degradation,
  type NodeState,
  type NodeSwitch,
  ProblemError,
  pause,
  toTimestamp,
} from '@telltale/schema';
import type { Logger } from 'pino';
import type { KnownNode, Lease, LeaseStatus } from '../lease/index.ts';
import { HeldDeadline } from '../threads/index.ts';
import type { Acting } from './acting.ts';
import type { IdentityOptions } from './agreed-identity.ts';
import { type LeaseAddress, type OpenedLease, openLease } from './open-lease.ts';
import { type ConfigurationPart, type LiveParts, type SiteBytes, type SiteEntry, SiteState } from './site-state.ts';
import { cannotSwitch, Switchover } from './switchover.ts';

export interface SiteNodeOptions extends LeaseAddress {
  readonly site: string;
  readonly name: string;
  readonly version: string;
  /** Where people and the other nodes reach this one; known when it is opened. */
  readonly url: () => string;
  /** Of the certificate that it serves; undefined: it speaks no TLS itself. */
  readonly fingerprint: () => string | undefined;
  readonly identity: IdentityOptions;
  readonly clock: Clock;
  readonly log: Logger;
}

const retryMs = 500;
/** For what etcd has not answered when this node ends: with a long TTL, requests have longer than stopping may take. */
const hurryMs = 1500;

export class SiteNode {
  /** Of all writes to devices. */
  readonly deadline: HeldDeadline;
  readonly #options: SiteNodeOptions;
  #acting: Acting | undefined;
  #opened: OpenedLease | undefined;
  #lease: Lease | undefined;
  #state: SiteState | undefined;
  /** Under which it acts; 0: it does not. */
  #epoch = 0;
  /** It ends to act, and goes on after all or has ended: what its links say meanwhile is nothing that happens in the plant. */
  #isEnding = false;
  /** It has paused what it does for the site. */
  #hasPaused = false;
  #cancelPause: (() => void) | undefined;
  #following: Promise<unknown> | undefined;
  /** What changes the site and is not answered yet. */
  #underWay = 0;
  /** It is handed over to. */
  #successor: KnownNode | undefined;
  /** Why it could not begin to act. */
  #failure: string | undefined;
  readonly #ended = new AbortController();
  #sinceUs: number;
  #problemSinceUs: number | undefined;
  #said = '';

  constructor(options: SiteNodeOptions) {
    this.#options = options;
    this.deadline = new HeldDeadline(options.clock);
    this.#sinceUs = options.clock.now();
  }

  /** Does not wait for etcd. Rejects with `UnusableLease`. */
  async open(): Promise<void> {
    const { clock, site, name, version, url } = this.#options;
    this.#opened = await openLease(this.#options, clock);
    const { library, etcd } = this.#opened;
    const node = { name, version, address: url() };
    const { deadline } = this;
    const { fingerprint } = this.#options;
    const report = () => ({
      fingerprint: fingerprint(),
      heard: this.#state?.heard ?? '',
      acts: this.#epoch,
      problem: this.#notReady,
    });
    this.#lease = new library.Lease({ etcd, clock, site, node, deadline, report, onChange: () => this.#judge() });
  }

  /** When the service is ready: from now on it may lead. */
  async begin(acting: Acting, parts: LiveParts, configuration: ConfigurationPart): Promise<void> {
    const { site, identity, clock, log } = this.#options;
    if (this.#opened === undefined) return;
    this.#acting = acting;
    const onAsked = () => this.#lease?.refreshNodes();
    this.#state = new SiteState({ lease: this.#opened, site, parts, configuration, identity, clock, log, onAsked });
    await this.#state.follow();
    this.#lease?.start();
  }

  /** While this node acts: resolves when the other nodes will have it, rejects with `ProblemError`. Undefined while it does not. */
  share(entries: readonly SiteEntry[]): Promise<void> | undefined {
    return this.#state?.share(entries);
  }

  /** The same for the configuration. */
  shareBytes(entries: readonly SiteBytes[]): Promise<void> | undefined {
    return this.#state?.shareBytes(entries);
  }

  /** A planned switchover waits for this to end: it changes the site. */
  during(work: Promise<unknown>): void {
    this.#underWay++;
    const end = () => this.#underWay--;
    work.then(end, end);
  }

  /** A planned switchover. Resolves when the other node acts, or with `leads: false`; rejects with `ProblemError`. */
  async switchTo(to: string | undefined): Promise<NodeSwitch> {
    while (this.#following !== undefined) await this.#following;
    const { refusal } = this;
    if (refusal !== undefined) throw refusal;
    const switching = this.#switchTo(to);
    this.#following = switching.catch(() => undefined).finally(() => this.#endFollowing());
    return switching;
  }

  /** It leads, or has led and knows of nobody else who does: it reads, and what it reads counts. */
  get isActing(): boolean {
    return this.#epoch > 0 && !this.#isEnding;
  }

  /** Its lease ended so long ago that another one may lead: its programs rest, and what it reads goes on. */
  get isPaused(): boolean {
    const { marginMs = 0 } = this.#opened?.etcd.times ?? {};
    return this.#epoch > 0 && this.deadline.overdueMs(this.#epoch) >= marginMs;
  }

  /** Why nothing of the site can be changed here now; undefined where it can. */
  get refusal(): ProblemError | undefined {
    const successor = this.#successor;
    if (successor !== undefined) return this.#handing(successor);
    if (this.#epoch > 0 && this.deadline.isValid(this.#epoch)) return undefined;
    const { site, name } = this.#options;
    const { leader, nodes, problem } = this.#status;
    if (leader !== undefined && leader.node !== name) {
      const address = nodes.find((node) => node.name === leader.node)?.address;
      const where = address === undefined ? '' : `, at ${address}`;
      return new ProblemError(
        'not-leading',
        `Node ${name} does not lead the site ${site}: ${leader.node} does${where}.`,
      );
    }
    const why = problem === undefined ? '' : `: ${problem}`;
    return new ProblemError('not-leading', `No node leads the site ${site} now${why}.`);
  }

  get state(): NodeState {
    const { site, node, role, validForMs, leader, problem, nodes, members } = this.#status;
    return {
      site,
      node,
      role: role === 'leading' && this.#epoch === 0 ? 'standby' : role,
      since: toTimestamp(this.#sinceUs),
      'valid-for-ms': validForMs,
      leader:
        leader === undefined ? null : { node: leader.node, epoch: leader.epoch, since: toTimestamp(leader.sinceUs) },
      problem: problem ?? this.#failure ?? null,
      nodes: nodes.map(({ name, version, address, sinceUs, problem: fault = null }) => {
        return { name, version, address, since: toTimestamp(sinceUs), 'not-ready': fault };
      }),
      members: members.map(({ address, version = null, problem: fault = null }) => ({
        address,
        version,
        problem: fault,
      })),
    };
  }

  /** That are there. */
  get others(): readonly KnownNode[] {
    return this.#status.nodes.filter(({ name }) => name !== this.#options.name);
  }

  get degraded(): Degradation[] {
    const { problem } = this.#status;
    if (problem !== undefined) {
      const since = toTimestamp(this.#problemSinceUs ?? this.#sinceUs);
      const writes = this.refusal === undefined ? '' : ' Nothing is written to devices here.';
      const records = this.isPaused ? ' Function modules rest: another node may lead.' : '';
      return [{ since, text: `The lease of the site: ${problem}.${writes}${records}` }];
    }
    const { site } = this.#options;
    const { others } = this;
    if (this.#epoch === 0 || others.some((node) => node.problem === undefined)) return [];
    const why = others.map((node) => `; ${node.name} is, and could not: ${node.problem}`).join('');
    const text = `No other node of the site ${site} is there that would take over${why}.`;
    return [{ since: toTimestamp(this.#sinceUs), text }];
  }

  /** The lease ends at once, so that another node need not wait. After everything that writes has ended. */
  async close(): Promise<void> {
    this.#acting = undefined;
    this.#cancelPause?.();
    this.#ended.abort();
    this.#opened?.etcd.hurry(hurryMs);
    // What is under way may wait for an etcd that is gone: closing its parts ends that.
    const closed = Promise.all([this.#state?.close(), this.#following]);
    await this.#lease?.stop();
    this.#opened?.etcd.close();
    await closed;
  }

  get #status(): LeaseStatus {
    const { site, name: node } = this.#options;
    return this.#lease?.status ?? { site, node, role: 'standby', validForMs: 0, nodes: [], members: [] };
  }

  #judge(): void {
    this.#log();
    this.#lookAtPause();
    this.#following ??= this.#follow().finally(() => this.#endFollowing());
  }

  /** When it is time for it. */
  #lookAtPause(): void {
    this.#cancelPause?.();
    this.#cancelPause = undefined;
    const { clock } = this.#options;
    const { marginMs = 0 } = this.#opened?.etcd.times ?? {};
    const leftMs = marginMs - this.deadline.overdueMs(this.#epoch);
    if (this.#acting === undefined || this.#lease?.role !== 'suspended' || leftMs <= 0) return;
    this.#cancelPause = clock.after(leftMs, () => this.#judge());
  }

  #endFollowing(): void {
    this.#following = undefined;
    this.#lease?.refreshNodes();
    // What has changed meanwhile was not heard.
    if (this.#acting !== undefined && !this.#isAsWanted) this.#judge();
  }

  async #switchTo(asked: string | undefined): Promise<NodeSwitch> {
    const [lease, state, acting, epoch, opened] = [this.#lease, this.#state, this.#acting, this.#epoch, this.#opened];
    if (!lease || !state || !acting || !opened) throw cannotSwitch('This node is starting or stopping.');
    const { clock, site, log } = this.#options;
    const onClosed = (to: KnownNode) => {
      this.#successor = to;
      log.info(`the site ${site}: this node hands it over to ${to.name}`);
    };
    const onEnding = () => {
      this.#isEnding = true;
    };
    const goOn = async () => {
      // It begins anew where it cannot.
      await acting.begin(epoch).catch(() => this.#endActing(acting));
      this.#isEnding = false;
    };
    const underWay = () => this.#underWay;
    const [{ reservedMs }, { signal }] = [opened.etcd.times, this.#ended];
    const parts = { clock, site, lease, state, acting, reservedMs, underWay, onClosed, onEnding, goOn, signal };
    try {
      return await new Switchover(parts).run(epoch, asked);
    } finally {
      this.#successor = undefined;
      if (lease.epoch !== epoch) await this.#endActing(acting);
    }
  }

  /** What another node stores is taken over from now on, also where this rejects: then it is to be ended again. */
  async #endActing(acting: Acting): Promise<void> {
    if (this.#epoch > 0) this.#sinceUs = this.#options.clock.now();
    this.#epoch = 0;
    this.#isEnding = true;
    this.#hasPaused = false;
    try {
      await acting.end();
      this.#isEnding = false;
    } finally {
      await this.#state?.follow();
    }
  }

  #handing({ name, address }: KnownNode): ProblemError {
    const { site, name: own } = this.#options;
    return new ProblemError(
      'not-leading',
      `Node ${own} hands the site ${site} over to ${name}, at ${address}, just now.`,
    );
  }

  /** Why it could not take over now. */
  get #notReady(): string | undefined {
    if (this.#epoch > 0) return undefined;
    return this.#failure ?? this.#state?.problem ?? this.#acting?.problem();
  }

  /** Begins and ends one after the other, as the lease is by then. */
  async #follow(): Promise<void> {
    const { clock, log, site } = this.#options;
    for (let acting = this.#acting; acting !== undefined && !this.#isAsWanted; acting = this.#acting) {
      const wanted = this.#wanted;
      try {
        if (this.#isOfEpoch) await this.#pauseOrResume(acting);
        else if (this.#epoch > 0 || wanted === 0) await this.#endActing(acting);
        else await this.#beginActing(acting, wanted);
        this.#failure = undefined;
      } catch (error) {
        if (this.#ended.signal.aborted) return;
        this.#failure = `It cannot act for the site yet: ${(error as Error).message}`;
        log.warn(`this node cannot act for the site ${site} yet, which is retried: ${(error as Error).message}`);
        await pause(clock, retryMs, this.#ended.signal);
      }
    }
  }

  async #pauseOrResume(acting: Acting): Promise<void> {
    const { isPaused } = this;
    if (isPaused) await acting.pause();
    else acting.resume();
    this.#hasPaused = isPaused;
  }

  async #beginActing(acting: Acting, epoch: number): Promise<void> {
    await this.#state?.lead(epoch);
    this.#ended.signal.throwIfAborted();
    try {
      await acting.begin(epoch);
    } catch (error) {
      await this.#endActing(acting);
      throw error;
    }
    this.#epoch = epoch;
    this.#isEnding = false;
    this.#sinceUs = this.#options.clock.now();
  }

  get #isAsWanted(): boolean {
    return this.#isOfEpoch && this.#hasPaused === this.isPaused;
  }

  get #isOfEpoch(): boolean {
    return this.#wanted === this.#epoch && !this.#isEnding;
  }

  /** The epoch under which it should act. */
  get #wanted(): number {
    const lease = this.#lease;
    // Whose lease has ended acts on as long as nobody else leads, and does not begin.
    if (lease === undefined || lease.role === 'standby') return 0;
    return lease.role === 'leading' || lease.epoch === this.#epoch ? lease.epoch : 0;
  }

  #log(): void {
    const { log, clock, site } = this.#options;
    const { role, leader, problem } = this.#status;
    if (problem === undefined) this.#problemSinceUs = undefined;
    else this.#problemSinceUs ??= clock.now();
    const led = leader === undefined ? '' : `, and ${leader.node} leads`;
    const said = `${role === 'leading' ? 'this node leads' : `this node is ${role}${role === 'standby' ? led : ''}`}`;
    const whole = problem === undefined ? said : `${said}: ${problem}`;
    if (whole === this.#said) return;
    this.#said = whole;
    log[problem === undefined ? 'info' : 'warn'](`the site ${site}: ${whole}`);
  }
}
