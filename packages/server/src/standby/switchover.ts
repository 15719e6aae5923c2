// A planned switchover: what this node does for the site ends in order, and its lease goes to another node that has said that it has all
// that the site shares. Until the lease is gone, everything can go back to how it was.
import { randomUUID } from 'node:crypto';
import { type Clock, type NodeSwitch, ProblemError, pause } from '@telltale/schema';
import type { KnownNode, Lease } from '../lease/index.ts';
import type { Acting } from './acting.ts';
import type { SiteState } from './site-state.ts';

export interface SwitchoverParts {
  readonly clock: Clock;
  readonly site: string;
  readonly lease: Lease;
  readonly state: SiteState;
  readonly acting: Acting;
  /** So long the lease is kept for the other node. */
  readonly reservedMs: number;
  readonly signal: AbortSignal;
  /** What changes the site and is not answered yet. */
  readonly underWay: () => number;
  /** Nothing new that changes the site is begun: another node is to. */
  readonly onClosed: (to: KnownNode) => void;
  /** What this node does for the site ends now. */
  readonly onEnding: () => void;
  /** It acts for the site as before. */
  readonly goOn: () => Promise<void>;
}

/** The other node says so within this time that it has everything, or is not there. */
const answerMs = 3000;
/** For what is under way: writes to devices have their own limits, which are shorter. */
const settleMs = 15_000;
const lookMs = 20;

export class Switchover {
  readonly #parts: SwitchoverParts;
  readonly #from: string;

  constructor(parts: SwitchoverParts) {
    this.#parts = parts;
    this.#from = parts.lease.status.node;
  }

  /** Rejects with `ProblemError` where this node goes on, or where the lease went elsewhere meanwhile. */
  async run(epoch: number, asked: string | undefined): Promise<NodeSwitch> {
    const { clock, acting, lease, reservedMs, signal, onClosed, onEnding, goOn } = this.#parts;
    const to = this.#choose(asked);
    await this.#isUpToDate(to.name);
    await acting.rest();
    onClosed(to);
    const closedMs = clock.monotonicMs();
    try {
      await this.#settled();
      await this.#isUpToDate(to.name);
      onEnding();
      await acting.end();
      await acting.ended();
      const handedOver = await lease.handOver(to.name);
      if (!handedOver.isDone) throw cannotSwitch(`${handedOver.reason}. Nothing has changed.`);
    } catch (error) {
      if (lease.epoch === epoch && !signal.aborted) await goOn();
      throw error;
    }
    const leads = await this.#until(reservedMs, () => this.#node(to.name)?.acts);
    const { name, address } = to;
    return { from: this.#from, to: name, address, leads, 'took-ms': Math.round(clock.monotonicMs() - closedMs) };
  }

  #choose(asked: string | undefined): KnownNode {
    const { site, lease } = this.#parts;
    const others = lease.status.nodes.filter(({ name }) => name !== this.#from);
    const there = others.map(({ name }) => name).join(', ') || 'none';
    if (asked === this.#from) throw cannotSwitch(`${asked} leads the site ${site} already.`);
    if (asked === undefined && others.length > 1) throw cannotSwitch(`Say to which node: ${there}.`);
    const to = asked === undefined ? others[0] : others.find(({ name }) => name === asked);
    if (to !== undefined) return to;
    const missing =
      asked === undefined ? `No other node of the site ${site} is there` : `The node ${asked} is not there`;
    throw cannotSwitch(`${missing}; the others that are: ${there}.`);
  }

  /** It answers, and with everything that was shared before it was asked. */
  async #isUpToDate(name: string): Promise<void> {
    const { state } = this.#parts;
    const id = randomUUID();
    await state.ask(id).catch((error: Error) => {
      throw cannotSwitch(`${error.message}. Nothing has changed.`);
    });
    const heard = await this.#until(answerMs, () => {
      const node = this.#node(name);
      return node?.heard === id || node?.problem !== undefined;
    });
    const node = this.#node(name);
    if (node === undefined) throw cannotSwitch(`The node ${name} has gone. Nothing has changed.`);
    if (node.problem !== undefined) {
      const who = `The node ${name}, version ${node.version},`;
      throw cannotSwitch(`${who} cannot take over: ${node.problem}. Nothing has changed.`);
    }
    if (heard) return;
    const late = `has not said within ${answerMs / 1000} s that it has all that the site shares`;
    throw cannotSwitch(`The node ${name} ${late}: it is stopped, cut off or behind. Nothing has changed.`);
  }

  /** What was begun has ended, and what comes of it is shared: looked at twice, as the one may lead to the other. */
  async #settled(): Promise<void> {
    const { state, underWay } = this.#parts;
    let quiet = 0;
    const settled = await this.#until(settleMs, () => {
      quiet = underWay() + state.pending === 0 ? quiet + 1 : 0;
      return quiet > 1;
    });
    if (settled) return;
    const what = `${underWay()} operations have not ended within ${settleMs / 1000} s`;
    throw cannotSwitch(`${what}, such as writes to slow devices, or renderings. Nothing has changed.`);
  }

  #node(name: string): KnownNode | undefined {
    return this.#parts.lease.status.nodes.find((node) => node.name === name);
  }

  async #until(limitMs: number, isSo: () => unknown): Promise<boolean> {
    const { clock, lease, signal } = this.#parts;
    const endMs = clock.monotonicMs() + limitMs;
    while (!isSo()) {
      if (clock.monotonicMs() > endMs || signal.aborted) return false;
      lease.refreshNodes();
      await pause(clock, lookMs, signal);
    }
    return true;
  }
}

export function cannotSwitch(text: string): ProblemError {
  return new ProblemError('cannot-switch', text);
}
