// Who leads a site: this node tries to, and while it does, keeps its lease. It decides who may write to devices and does nothing about
// it: whoever writes asks `deadline` immediately before. README.md has the protocol.
import { randomUUID } from 'node:crypto';
import { type Clock, pause } from '@telltale/schema';
import { HeldDeadline, type LeaseDeadline } from '../threads/index.ts';
import type { EtcdClient } from './etcd/etcd-client.ts';
import { EtcdRefusal } from './etcd/etcd-errors.ts';
import { EtcdHistory } from './etcd/etcd-history.ts';
import { type Holder, LeaderKey, type Leadership } from './leader-key.ts';
import { siteBase } from './lease-setting.ts';
import { type LeaseRole, type LeaseStatus, type NodeDescription, type NodeReport, problemOf } from './lease-status.ts';
import type { LeaseTimes } from './lease-times.ts';
import { NodePresence } from './node-presence.ts';
import { Succession } from './succession.ts';

export interface LeaseOptions {
  readonly etcd: EtcdClient;
  readonly clock: Clock;
  readonly site: string;
  readonly node: NodeDescription;
  /** Of the process, for all of its threads; its own unless told otherwise. */
  readonly deadline?: HeldDeadline;
  /** What the others are told of it. */
  readonly report?: () => NodeReport;
  /** After the role, the leader or the problem has changed. */
  readonly onChange: () => void;
}

export type HandOver = { readonly isDone: true } | { readonly isDone: false; readonly reason: string };

interface Resignation {
  readonly to: string | undefined;
  readonly ended: (result: HandOver) => void;
}

export class Lease {
  readonly #etcd: EtcdClient;
  readonly #clock: Clock;
  readonly #times: LeaseTimes;
  readonly #options: LeaseOptions;
  readonly #base: string;
  readonly #deadline: HeldDeadline;
  readonly #key: LeaderKey;
  readonly #instance = randomUUID();
  readonly #succession: Succession;
  readonly #presence: NodePresence;
  readonly #history: EtcdHistory;
  readonly #ended = new AbortController();
  /** Ends one watch, so that another one begins. */
  #watching = new AbortController();
  #running = Promise.resolve();
  #listening = Promise.resolve();
  #role: LeaseRole = 'standby';
  #epoch = 0;
  #sinceUs = 0;
  #leadership: Leadership = {};
  #error: Error | undefined;
  #resignation: Resignation | undefined;
  #isStopping = false;
  #wake = () => {};
  #ring = () => {};
  #cancelSuspension = () => {};
  #hasRung = true;
  #unheard = 0;

  constructor(options: LeaseOptions) {
    const { etcd, clock, site, node, deadline = new HeldDeadline(clock), report = () => nothingSaid } = options;
    [this.#options, this.#etcd, this.#clock, this.#times] = [options, etcd, clock, etcd.times];
    const [base, instance] = [siteBase(etcd.setting, site), this.#instance];
    this.#base = base;
    this.#deadline = deadline;
    this.#key = new LeaderKey({ etcd, clock, base });
    this.#succession = new Succession(etcd.times, { node: node.name, instance });
    this.#presence = new NodePresence({ etcd, clock, base, node, instance, report });
    this.#history = new EtcdHistory(etcd, clock);
  }

  /** For whoever writes to a device, in any thread. */
  get deadline(): LeaseDeadline {
    return this.#deadline;
  }

  get role(): LeaseRole {
    return this.#role;
  }

  /** Where this node leads or is suspended; 0 elsewhere. */
  get epoch(): number {
    return this.#epoch;
  }

  get status(): LeaseStatus {
    const { members, nodes, problem } = this.#presence;
    const leader = this.#epoch > 0 ? { ...this.#holder(), epoch: this.#epoch } : this.#leadership.leader;
    const trouble = problemOf(this.#error, members, this.#base) ?? problem ?? this.#history.problem;
    return {
      site: this.#options.site,
      node: this.#options.node.name,
      role: this.#role,
      validForMs: Math.round(this.#deadline.remainingMs(this.#epoch)),
      ...(leader && { leader: { node: leader.node, epoch: leader.epoch, sinceUs: leader.sinceUs } }),
      ...(trouble !== undefined && { problem: trouble }),
      nodes,
      members,
    };
  }

  /** From now on it is known to the others, and leads as soon as nobody else does. */
  start(): void {
    this.#presence.start();
    this.#running = this.#run();
    this.#listening = this.#listen();
  }

  /**
   * A planned switchover: the lease ends at once, and for a while only the named node gets it. Before it is called, all writes have
   * been answered.
   */
  async handOver(to: string): Promise<HandOver> {
    if (to === this.#options.node.name) return { isDone: false, reason: `${to} is this node` };
    if (this.#epoch === 0) return { isDone: false, reason: 'This node does not lead' };
    if (this.#resignation !== undefined) return { isDone: false, reason: 'The lease is being handed over already' };
    this.#cancelSuspension();
    this.#deadline.end();
    const { promise, resolve } = Promise.withResolvers<HandOver>();
    this.#resignation = { to, ended: resolve };
    this.#setRole('suspended');
    this.#wake();
    return promise;
  }

  /** The others are told now what there is to tell, and asked; every TTL they are anyway. */
  refreshNodes(): void {
    this.#presence.refresh();
  }

  /** Ends the lease, so that another node need not wait. Before it is called, all writes have been answered. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelSuspension();
    this.#deadline.end();
    this.#wake();
    await this.#running;
    this.#ended.abort();
    this.#watching.abort();
    await Promise.all([this.#listening, this.#presence.stop()]);
  }

  async #run(): Promise<void> {
    while (!this.#isStopping || this.#epoch > 0) {
      if (this.#isStopping) this.#resignation ??= { to: undefined, ended: () => undefined };
      try {
        if (this.#resignation !== undefined) await this.#giveUp(this.#resignation);
        else if (this.#epoch > 0) await this.#hold();
        else await this.#seek();
      } catch (error) {
        this.#report(error as Error);
        // What is refused now is refused in a moment.
        await this.#sleep(error instanceof EtcdRefusal ? this.#times.renewMs : this.#times.retryMs);
      }
    }
  }

  /** A watch is the bell that is quicker than polling; who hears it looks by itself. */
  async #listen(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      this.#watching = new AbortController();
      try {
        for await (const _ of this.#etcd.watch(this.#key.range, this.#watching.signal)) {
          this.#hasRung = true;
          this.#ring();
        }
      } catch {
        await pause(this.#clock, this.#times.renewMs, this.#ended.signal);
      }
    }
  }

  async #seek(): Promise<void> {
    try {
      const hadRung = this.#hasRung;
      this.#hasRung = false;
      const leadership = await this.#key.read();
      const isNews = this.#succession.read(leadership, this.#clock.monotonicMs());
      this.#listenAgain(isNews && !hadRung && !this.#hasRung);
      this.#leadership = leadership;
      this.#report(undefined, isNews);
      const step = this.#succession.next(leadership, this.#clock.monotonicMs());
      if (step.kind === 'wait') await this.#sleep(Math.min(step.forMs, this.#times.pollMs), true);
      else if (step.kind === 'expire') await this.#key.expire(step.leader);
      else if (step.kind === 'adopt') {
        this.#sinceUs = step.leader.sinceUs;
        const renewal = await this.#key.renew(this.#holder(), step.leader.epoch);
        if (renewal !== undefined) this.#lead(step.leader.epoch, renewal.sentMs);
      } else {
        this.#sinceUs = this.#clock.now();
        const created = await this.#key.create(this.#holder(), step.released);
        if (created !== undefined) this.#lead(created.epoch, created.sentMs);
      }
    } catch (error) {
      this.#succession.unanswered();
      throw error;
    }
  }

  async #hold(): Promise<void> {
    // Renewals that nobody hears would keep the others waiting for ever: who is without a valid lease first makes sure to be heard.
    if (!this.#deadline.isValid(this.#epoch)) {
      const leadership = await this.#key.read();
      this.#report(undefined);
      if (leadership.leader?.epoch !== this.#epoch) return this.#end(leadership);
    }
    const renewal = await this.#key.renew(this.#holder(), this.#epoch);
    if (this.#resignation !== undefined) return;
    if (renewal === undefined) return this.#end();
    this.#lead(this.#epoch, renewal.sentMs);
    this.#history.trim(renewal.revision);
    await this.#sleep(renewal.sentMs + this.#times.renewMs - this.#clock.monotonicMs());
  }

  #lead(epoch: number, sentMs: number): void {
    this.#epoch = epoch;
    if (!this.#isStopping) this.#deadline.extend(epoch, sentMs + this.#times.validMs);
    this.#cancelSuspension();
    this.#watchDeadline();
    this.#report(undefined);
  }

  #watchDeadline(): void {
    const leftMs = this.#deadline.remainingMs(this.#epoch);
    this.#setRole(leftMs > 0 ? 'leading' : 'suspended');
    if (leftMs > 0) this.#cancelSuspension = this.#clock.after(leftMs, () => this.#watchDeadline());
  }

  #end(leadership: Leadership = {}): void {
    this.#cancelSuspension();
    this.#deadline.end();
    this.#epoch = 0;
    this.#leadership = leadership;
    this.#setRole('standby');
  }

  /** One that is not answered may have succeeded; the next turn finds out. */
  async #giveUp({ to, ended }: Resignation): Promise<void> {
    const beganMs = this.#clock.monotonicMs();
    for (;;) {
      try {
        const outcome = await this.#key.resign(this.#holder(), this.#epoch, to);
        this.#resignation = undefined;
        if (outcome !== 'absent') this.#end();
        return ended(outcome === 'absent' ? refused(`The node ${to} is not there`) : { isDone: true });
      } catch (error) {
        const limitMs = this.#isStopping ? stoppingMs : this.#times.ttlMs;
        if (this.#clock.monotonicMs() < beganMs + limitMs) {
          const { retryMs } = this.#times;
          await pause(this.#clock, this.#isStopping ? Math.min(retryMs, soonMs) : retryMs, this.#ended.signal);
          continue;
        }
        this.#resignation = undefined;
        this.#report(error as Error);
        if (this.#isStopping) this.#end();
        return ended(refused(`etcd did not answer: ${(error as Error).message}`));
      }
    }
  }

  #holder(): Holder {
    const { node } = this.#options;
    return { node: node.name, instance: this.#instance, sinceUs: this.#sinceUs, ttlMs: this.#times.ttlMs };
  }

  /** A watch that does not tell what reading finds is half open. */
  #listenAgain(wasSilent: boolean): void {
    this.#unheard = this.#hasRung ? 0 : this.#unheard + Number(wasSilent);
    if (this.#unheard < 2) return;
    this.#unheard = 0;
    this.#watching.abort();
  }

  #setRole(role: LeaseRole): void {
    if (role === this.#role) return;
    this.#role = role;
    this.#options.onChange();
  }

  #report(error: Error | undefined, isNews = false): void {
    const hasChanged = error?.message !== this.#error?.message;
    this.#error = error;
    if (hasChanged || isNews) this.#options.onChange();
  }

  /** Ends before where there is something to do; only who looks for news hears the bell. */
  async #sleep(ms: number, isListening = false): Promise<void> {
    if (this.#isStopping || (isListening && this.#hasRung)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (isListening) this.#ring = resolve;
    const cancel = this.#clock.after(ms, resolve);
    await promise;
    cancel();
    this.#wake = this.#ring = () => {};
  }
}

/** Without an answer from etcd, the lease ends by itself: whoever stops does not wait for it. */
const stoppingMs = 1000;
const soonMs = 200;

const nothingSaid: NodeReport = { heard: '', acts: 0, problem: undefined };

function refused(reason: string): HandOver {
  return { isDone: false, reason };
}
