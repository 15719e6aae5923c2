// What this node has recorded goes to every other node of the site, and what they have recorded comes here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, type Degradation, type NodeRecords, nodeNamePattern, toTimestamp } from '@telltale/schema';
import type { Logger } from 'pino';
import type { Archive, ReceivedState } from '../archive/index.ts';
import { SharedStore } from '../store/index.ts';
import { NodeAnswers } from './node-answers.ts';
import { type NodeAddress, NodeStore } from './node-store.ts';

export interface OtherNode extends NodeAddress {
  readonly name: string;
}

export interface RecordsExchangeOptions {
  readonly name: string;
  /** Those that are there, but for this one. */
  readonly others: () => readonly OtherNode[];
  readonly archive: Archive;
  /** How long records are gathered, where none wait. */
  readonly gatherMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How often it is looked who is there, and what has come of them. */
const lookMs = 1000;
const nodeName = new RegExp(nodeNamePattern);

export class RecordsExchange {
  readonly #options: RecordsExchangeOptions;
  readonly #answers: NodeAnswers;
  /** By the name of the node. */
  readonly #senders = new Map<string, SharedStore>();
  #site: string | undefined;
  #secret: string | undefined;
  #received: readonly ReceivedState[] = [];
  #isClosed = false;
  #cancel = () => {};

  constructor(options: RecordsExchangeOptions) {
    this.#options = options;
    const { name, archive, clock } = options;
    this.#answers = new NodeAnswers({ name, archive, clock, secret: () => this.#secret });
  }

  /** The nodes have agreed on who the site is. */
  agreeOnSite(id: string): void {
    this.#site = id;
    this.#begin();
  }

  /** And on how they sign. */
  agreeOnSecret(secret: string): void {
    this.#secret = secret;
    this.#begin();
  }

  /** Whether another node asks this. */
  isAsked(url: string): boolean {
    return this.#answers.isAsked(url);
  }

  answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#answers.answer(request, response);
  }

  /** Of every other node that is known here. */
  get states(): NodeRecords[] {
    return Array.from(this.#senders, ([node, sender]) => this.#stateOf(node, sender));
  }

  get degraded(): Degradation[] {
    return [...this.#senders.values()].flatMap((sender) => sender.degraded);
  }

  /** A sentence each. */
  get warnings(): string[] {
    return [...this.#senders.values()].flatMap((sender) => sender.warnings);
  }

  async close(patienceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await Promise.all(Array.from(this.#senders.values(), (sender) => sender.close(patienceMs)));
  }

  #begin(): void {
    if (this.#site === undefined || this.#secret === undefined) return;
    void this.#look();
  }

  async #look(): Promise<void> {
    const { archive, others, clock } = this.#options;
    try {
      this.#received = await archive.received();
      const known = await archive.receivers();
      const names = [...known, ...this.#received.map(({ node }) => node), ...others().map(({ name }) => name)];
      for (const name of names.filter((each) => nodeName.test(each))) this.#sendTo(name);
    } catch {
      // The archive says itself why it does not answer.
    }
    if (!this.#isClosed) this.#cancel = clock.after(lookMs, () => void this.#look());
  }

  #sendTo(to: string): void {
    const { name: from, others, archive, clock, log, gatherMs } = this.#options;
    const [site, secret] = [this.#site, this.#secret];
    if (this.#isClosed || this.#senders.has(to) || site === undefined || secret === undefined) return;
    const at = () => others().find(({ name }) => name === to);
    const sender = new SharedStore({
      at: { store: new NodeStore({ from, to, at, secret, clock }), name: to },
      node: to,
      siteName: to,
      areEpochsGiven: true,
      ...{ archive, clock, log, gatherMs },
    });
    this.#senders.set(to, sender);
    sender.open(site);
  }

  #stateOf(node: string, sender: SharedStore): NodeRecords {
    const { state, since, error, 'waiting-records': waiting, 'oldest-waiting': oldest } = sender.state;
    const received = this.#received.find((each) => each.node === node);
    const { backlog = 0, oldestUnsentUs = 0, madeUs = 0 } = received ?? {};
    return {
      ...{ node, state, since, error },
      'waiting-here': waiting,
      'oldest-here': oldest,
      heard: madeUs === 0 ? null : toTimestamp(madeUs),
      'waiting-there': backlog,
      'oldest-there': oldestUnsentUs === 0 ? null : toTimestamp(oldestUnsentUs),
    };
  }
}
