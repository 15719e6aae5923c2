// Finds which command a device's answer belongs to. An answer that comes late must never be taken for that of the next
// command: if the two cannot be distinguished, the next is refused until the late answer has come or has timed out.
import type { Clock } from '@telltale/schema';
import { type WriteResult, written } from '@telltale/stack-kit';
import type { IPublishPacket } from 'mqtt';
import type { CommandSettings } from './command-settings.ts';
import type { Payload } from './payload.ts';

export interface CommandAnswersOptions {
  readonly clock: Clock;
  /** After so long without an answer none is expected any more. */
  readonly lateMs: number;
  /** Subscriptions that the broker has refused, and why. */
  readonly refused: ReadonlyMap<string, string>;
}

const yes = /^(?:ok|true|1|yes|done|accepted|success)$/iu;
/** Of one topic: more than any plant has. */
const maxLate = 1000;

/** A command that was sent, or is about to be, and has no answer. */
interface Asked {
  readonly id: string;
  readonly settings: CommandSettings;
  readonly expected: string | undefined;
  /** The topic is a state: other messages than the expected one are ignored. */
  readonly isState: boolean;
  readonly resolve: (answer: WriteResult) => void;
  isAnswered: boolean;
  /** Something came that may have been the answer, but for its correlation data, which was missing. */
  heardNameless: boolean;
  sinceMs: number;
}

export interface AwaitedAnswer {
  /** Of the device. */
  readonly promise: Promise<WriteResult>;
  /** Nobody waits any more. `mayCome`: the device may have the command, so that its answer may still come. */
  end(mayCome: boolean): void;
}

export class CommandAnswers {
  readonly #options: CommandAnswersOptions;
  readonly #awaited = new Map<string, Set<Asked>>();
  readonly #late = new Map<string, Asked[]>();
  /** Topics of commands whose device returns the correlation data, which distinguishes its answers. */
  readonly #echoing = new Set<string>();

  constructor(options: CommandAnswersOptions) {
    this.#options = options;
  }

  /** A text says why the answer could not be had, or not be distinguished from another: then it is not to be sent. */
  await(settings: CommandSettings, id: string, expected: string | undefined): AwaitedAnswer | string {
    const topic = settings.ack?.topic ?? '';
    const why = this.#options.refused.get(topic);
    if (why !== undefined) return `cannot subscribe to the answers at ${topic}: ${why}`;
    const { promise, resolve } = Promise.withResolvers<WriteResult>();
    const names = settings.ackExpect?.names;
    const isState = names?.has('value') === true || names?.has('text') === true;
    const asked: Asked = {
      id,
      settings,
      expected,
      isState,
      resolve,
      isAnswered: false,
      heardNameless: false,
      sinceMs: 0,
    };
    const others = this.#awaited.get(topic) ?? new Set();
    for (const other of others) {
      if (other.settings.ackId === undefined || settings.ackId === undefined) {
        return `another command waits for its answer at ${topic}`;
      }
    }
    const ambiguity = this.#ambiguity(topic, asked);
    if (ambiguity !== undefined) return ambiguity;
    this.#awaited.set(topic, others.add(asked));
    const end = (mayCome: boolean) => {
      others.delete(asked);
      if (others.size === 0) this.#awaited.delete(topic);
      if (mayCome && !asked.isAnswered) this.#giveUp(topic, asked);
    };
    return { promise, end };
  }

  /** A message, which may be an answer. */
  hear(topic: string, payload: Payload, { retain, properties }: IPublishPacket): void {
    if (retain) return;
    const correlation = properties?.correlationData?.toString();
    const late = this.#late.get(topic);
    if (late !== undefined) this.#setLate(topic, late, (each) => !this.#isAnswer(each, payload, correlation));
    for (const each of this.#awaited.get(topic) ?? []) {
      if (!this.#isAnswer(each, payload, correlation)) continue;
      const isAccepted = isYes(each, payload);
      if (!isAccepted && each.isState) continue;
      each.isAnswered = true;
      if (isAccepted) each.resolve(written.accepted);
      else {
        const words = wordsOf(each, payload)?.slice(0, 200) ?? 'what cannot be read';
        each.resolve(written.refused(`the device answers ${JSON.stringify(words)}`));
      }
    }
  }

  /** Over a new connection, answers may come that have waited at the broker: there is time for them again. */
  begin(): void {
    for (const each of [...this.#late.values()].flat()) each.sinceMs = this.#options.clock.monotonicMs();
  }

  end(): void {
    for (const [topic, late] of this.#late) this.#setLate(topic, late, (each) => !this.#isOver(each));
  }

  /** Whether it is about this command, whatever it says. */
  #isAnswer(asked: Asked, payload: Payload, correlation: string | undefined): boolean {
    const { settings, id } = asked;
    if (correlation !== undefined) {
      if (correlation === id) this.#echoing.add(settings.address.topic);
      return correlation === id;
    }
    if (settings.ackId !== undefined) return payload.words({ kind: 'json', path: settings.ackId }) === id;
    if (asked.isState) return isYes(asked, payload);
    if (!this.#echoing.has(settings.address.topic)) return true;
    asked.heardNameless = true;
    return false;
  }

  /** Why its answer could be taken for that of another; undefined where it cannot. */
  #ambiguity(topic: string, asked: Asked): string | undefined {
    const { clock, lateMs } = this.#options;
    const { settings } = asked;
    const late = this.#late.get(topic);
    if (late === undefined) return undefined;
    this.#setLate(topic, late, (each) => !this.#isOver(each));
    if (!asked.isState && this.#echoing.has(settings.address.topic)) return undefined;
    const other = this.#late.get(topic)?.find((each) => isAmbiguous(asked, each));
    if (other === undefined) return undefined;
    const leftMs = Math.max(0, other.sinceMs + lateMs - clock.monotonicMs());
    return (
      `an earlier command has not been answered at ${topic}, and its answer could be taken for this one's: ` +
      `try again when it has arrived, or in ${Math.ceil(leftMs / 1000)} s`
    );
  }

  #giveUp(topic: string, asked: Asked): void {
    const command = asked.settings.address.topic;
    if (!asked.isState && this.#echoing.has(command)) {
      if (!asked.heardNameless) return;
      // It does not give correlation data back any more.
      this.#echoing.delete(command);
    }
    asked.sinceMs = this.#options.clock.monotonicMs();
    const late = this.#late.get(topic) ?? [];
    this.#late.set(topic, [...late, asked].slice(-maxLate));
  }

  #isOver({ sinceMs }: Asked): boolean {
    return this.#options.clock.monotonicMs() - sinceMs >= this.#options.lateMs;
  }

  #setLate(topic: string, late: readonly Asked[], keep: (each: Asked) => boolean): void {
    const left = late.filter(keep);
    if (left.length === 0) this.#late.delete(topic);
    else this.#late.set(topic, left);
  }
}

/** Whether an answer to one could be taken for that of the other. */
function isAmbiguous(one: Asked, other: Asked): boolean {
  if (one.settings.ackId !== undefined && other.settings.ackId !== undefined) return false;
  if (!one.isState || !other.isState) return true;
  const part = ({ settings: { ack } }: Asked) => JSON.stringify(ack?.selector);
  return part(one) === part(other) && one.expected === other.expected;
}

function wordsOf({ settings: { ack } }: Asked, payload: Payload): string | undefined {
  return ack === undefined ? undefined : payload.words(ack.selector)?.trim();
}

function isYes(asked: Asked, payload: Payload): boolean {
  const words = wordsOf(asked, payload);
  if (words === undefined) return false;
  return asked.expected === undefined ? yes.test(words) : isSame(words, asked.expected);
}

/** As texts, or as numbers: 5 and 5.0. */
function isSame(words: string, expected: string): boolean {
  if (words === expected || JSON.stringify(words) === expected) return true;
  return words !== '' && expected !== '' && Number(words) === Number(expected);
}
