// Publishes commands, each once, and waits for the answer of the broker and, where one is configured, of the device.
import { randomUUID } from 'node:crypto';
import { type Clock, formatText, formatTimestamp, onAbort, unlessAborted, type Value } from '@telltale/schema';
import { documentWith, NotConnected, type StackCommand, type WriteResult, written } from '@telltale/stack-kit';
import type { BrokerLink } from './broker-link.ts';
import { CommandAnswers } from './command-answers.ts';
import { type CommandSettings, type CommandVariables, type PayloadName, readCommand } from './command-settings.ts';
import { bytesOf, jsonOf } from './format-value.ts';
import { codeText, isFailure, noSubscribers } from './reason-code.ts';

export interface CommandWriterOptions {
  readonly variables: CommandVariables & { readonly cleanStart: boolean; readonly expirySeconds: number };
  readonly version: '5' | '3.1.1';
  readonly clock: Clock;
  /** Subscriptions that the broker has refused, and why. */
  readonly refused: ReadonlyMap<string, string>;
  readonly mayWrite: () => boolean;
}

/** A device that is late by more than this, beside the time for which the broker keeps its command, will not answer. */
const lateMs = 60_000;

export class CommandWriter {
  readonly #options: CommandWriterOptions;
  readonly answers: CommandAnswers;
  #settings = new Map<string, CommandSettings>();

  constructor(options: CommandWriterOptions) {
    this.#options = options;
    const { clock, refused, version, variables } = options;
    const expiryMs = version === '5' ? variables.expirySeconds * 1000 : 0;
    this.answers = new CommandAnswers({ clock, refused, lateMs: expiryMs + lateMs });
  }

  setCommands(commands: readonly StackCommand[]): void {
    this.#settings = new Map();
    for (const command of commands) {
      const { settings } = readCommand(command.address, command, this.#options.variables);
      if (settings !== undefined) this.#settings.set(command.name, settings);
    }
  }

  get ackTopics(): Set<string> {
    return new Set([...this.#settings.values()].flatMap(({ ack }) => ack?.topic ?? []));
  }

  async write(link: BrokerLink, command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const settings = this.#settings.get(command.name);
    if (settings === undefined) return written.refused(`the address of ${command.name} is wrong`);
    const { variables, clock } = this.#options;
    if (settings.qos === 2 && !variables.cleanStart) {
      // A broker that has such a message and no release of it may take the next one with its identifier for the same.
      return written.refused('with cleanStart false, a command of QoS 2 could be delivered late: use QoS 1');
    }
    const id = randomUUID();
    const fill = (name: PayloadName) => placeholder(name, command, settings, value, id, clock.now());
    const payload = payloadOf(settings, value, fill);
    if (payload === undefined) return written.refused(`the value does not fit into ${command.address}`);
    if (signal.aborted) return written.notSent('the write was aborted');
    const answer =
      settings.ack === undefined ? undefined : this.answers.await(settings, id, settings.ackExpect?.render(fill));
    if (typeof answer === 'string') return written.refused(answer);
    let result = written.unknown('no answer');
    try {
      result = await this.#publish(link, settings, id, payload, signal);
      // The broker has it; what became of it, the device says.
      if (answer === undefined || result.kind !== 'accepted') return result;
      result = written.unknown('no answer of the device');
      result = await unlessAborted(signal, answer.promise);
      return result;
    } finally {
      answer?.end(result.kind === 'unknown');
    }
  }

  /** As the broker answers it. */
  async #publish(
    link: BrokerLink,
    { address: { topic }, qos, retain, ack }: CommandSettings,
    id: string,
    payload: string | Buffer,
    signal: AbortSignal,
  ): Promise<WriteResult> {
    const { variables, version, mayWrite } = this.#options;
    if (!mayWrite()) return written.notPermitted;
    let published: Promise<number>;
    try {
      published = link.publish(topic, payload, {
        qos,
        retain,
        ...(version === '5' && {
          properties: {
            ...(variables.expirySeconds > 0 && !retain && { messageExpiryInterval: variables.expirySeconds }),
            ...(ack !== undefined && { responseTopic: ack.topic, correlationData: Buffer.from(id) }),
          },
        }),
      });
    } catch (error) {
      if (error instanceof NotConnected) return written.notSent(error.message);
      throw error;
    }
    // Listens first: an abort rejects with the reason of the signal, and then gives the link up.
    const acknowledged = unlessAborted(signal, published);
    // What the broker has not acknowledged may still be on its way: not any more when the link is given up.
    const stopListening = onAbort(signal, () => {
      link.reset(`the broker has not acknowledged a command to ${topic} in time`);
    });
    const code = await acknowledged.finally(stopListening);
    if (isFailure(code)) return written.refused(`the broker refuses it: ${codeText(code)}`);
    if (code === noSubscribers && !retain) return written.refused(`there is no subscriber to ${topic}`);
    return written.accepted;
  }
}

function payloadOf(
  { address, payload, datatype, on, off }: CommandSettings,
  value: Value,
  fill: (name: PayloadName) => string,
): string | Buffer | undefined {
  if (payload !== undefined) return payload.render(fill);
  const { selector } = address;
  if (selector.kind === 'plain') return fill('text');
  if (selector.kind === 'binary') return bytesOf(selector, value);
  const word = wordFor(value, on, off);
  return documentWith(selector.path, word === undefined ? jsonOf(datatype, value) : JSON.stringify(word));
}

function placeholder(
  name: PayloadName,
  command: StackCommand,
  { datatype, on, off }: CommandSettings,
  value: Value,
  id: string,
  nowUs: number,
): string {
  switch (name) {
    case 'value': {
      const word = wordFor(value, on, off);
      return word === undefined ? jsonOf(datatype, value) : JSON.stringify(word);
    }
    case 'text':
      return wordFor(value, on, off) ?? formatText(datatype, value);
    case 'name':
      return command.name;
    case 'time':
      return formatTimestamp(nowUs);
    case 'timeMs':
      return String(Math.floor(nowUs / 1000));
    case 'id':
      return id;
  }
}

function wordFor(value: Value, on: string | undefined, off: string | undefined): string | undefined {
  if (value === true || value === 1 || value === 1n) return on;
  if (value === false || value === 0 || value === 0n) return off;
  return undefined;
}
