// Connectors for line devices that each do one thing that no connector may do. The conformance suite must fail on every
// one of them.
import type { Socket } from 'node:net';
import { onAbort, type Value } from '@telltale/schema';
import {
  type Connector,
  type ConnectorOptions,
  Fatal,
  type StackCommand,
  type StackPoints,
  type WriteResult,
  written,
} from '../src/index.ts';
import { lineOf } from './line-codec.ts';
import { LineConnector, type LineVariables } from './line-connector.ts';
import { LineLink, openSocket } from './line-link.ts';

interface Flaw {
  readonly make: (options: ConnectorOptions<LineVariables>) => Connector;
  /** Of the tests that fail because of it. */
  readonly fails: RegExp;
}

class ConnectsEarly extends LineConnector {
  override setPoints(points: StackPoints): void {
    super.setPoints(points);
    const { host, port, timeoutMs } = this.options.variables;
    openSocket(host, port, timeoutMs, new AbortController().signal).then((socket) => socket.destroy());
  }
}

class ForgetsNewPoints extends LineConnector {
  override setPoints(points: StackPoints): void {
    if (this.link === undefined) super.setPoints(points);
  }
}

class LeaksAbortListeners extends LineConnector {
  protected override scan(signal: AbortSignal): Promise<void> {
    onAbort(signal, () => {});
    return super.scan(signal);
  }
}

class LeaksSocketListeners extends LineConnector {
  protected override scan(signal: AbortSignal): Promise<void> {
    this.theLink.socket.on('close', () => {});
    return super.scan(signal);
  }
}

class LeaksSockets extends LineConnector {
  override async close(): Promise<void> {
    this.link = undefined;
  }
}

class LeaksTimers extends LineConnector {
  override async connect(signal: AbortSignal): Promise<void> {
    await super.connect(signal);
    setInterval(() => {}, 1000);
  }
}

class LeaksMemory extends LineConnector {
  readonly #stored: Buffer[] = [];

  override async connect(signal: AbortSignal): Promise<void> {
    await super.connect(signal);
    this.#stored.push(Buffer.alloc(65_536, this.#stored.length));
  }
}

class SendsAfterClose extends LineConnector {
  override async close(): Promise<void> {
    const { link } = this;
    this.link = undefined;
    for (const ms of [20, 40, 60, 80, 100]) setTimeout(() => link?.socket.write('still here\n'), ms);
    setTimeout(() => link?.close(), 120);
  }
}

class IgnoresItsEnd extends LineConnector {
  override async run(signal: AbortSignal): Promise<void> {
    await super.run(signal);
    await new Promise(() => {});
  }
}

/** A write that was not answered is sent once more when the link is there again. */
class QueuesWrites extends LineConnector {
  readonly #queue: [StackCommand, Value][] = [];

  override async connect(signal: AbortSignal): Promise<void> {
    await super.connect(signal);
    for (const [command, value] of this.#queue.splice(0)) await super.write(command, value, signal);
  }

  override async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    try {
      return await super.write(command, value, signal);
    } catch (error) {
      this.#queue.push([command, value]);
      throw error;
    }
  }
}

class RetriesWrites extends LineConnector {
  override async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const again = setInterval(() => this.link?.socket.write(lineOf(`0 set ${command.address} ${value}`)), 50);
    return super.write(command, value, signal).finally(() => clearInterval(again));
  }
}

class AcceptsUnheard extends LineConnector {
  override async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    super.write(command, value, signal).catch(() => {});
    return written.accepted;
  }
}

/** Says that nothing was sent, though it was. */
class DeniesWrites extends LineConnector {
  override async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    return super.write(command, value, signal).catch(() => written.notSent('no answer'));
  }
}

class AsksNobody extends LineConnector {
  constructor(options: ConnectorOptions<LineVariables>) {
    super({ ...options, mayWrite: () => true });
  }
}

/** Takes every failure for a refusal. */
class RefusesUnheard extends LineConnector {
  override async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    return super.write(command, value, signal).catch((error) => written.refused(error.message));
  }
}

class LosesReasons extends LineConnector {
  override async write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    const result = await super.write(command, value, signal);
    if (result.kind === 'accepted') return result;
    throw new Error('it did not work');
  }
}

class WaitsForEver extends LineConnector {
  protected override makeLink(socket: Socket): LineLink {
    return new LineLink(socket, 2 ** 30);
  }
}

class GivesUp extends LineConnector {
  override async run(signal: AbortSignal): Promise<void> {
    await super.run(signal).catch((error) => {
      throw new Fatal(error.message);
    });
  }
}

/** Where the device says nothing, it says again what it said before. */
class RepeatsItself extends LineConnector {
  protected override makeLink(socket: Socket): LineLink {
    const last = new Map<string, string>();
    const link = new LineLink(socket, this.options.variables.timeoutMs);
    const ask = link.ask.bind(link);
    link.ask = async (question, signal) => {
      const answer = await ask(question, signal).catch((error) => last.get(question) ?? Promise.reject(error));
      last.set(question, answer);
      return answer;
    };
    return link;
  }
}

class IgnoresChecksums extends LineConnector {
  protected override makeLink(socket: Socket): LineLink {
    return new (class extends LineLink {
      #rest = '';

      protected override listen(from: Socket): void {
        from.on('data', (bytes) => {
          const lines = (this.#rest + bytes).split('\n');
          this.#rest = lines.pop() ?? '';
          for (const line of lines) this.hear(line.split('*')[0] ?? '');
        });
      }
    })(socket, this.options.variables.timeoutMs);
  }
}

/** Takes what has come when the connection ends for a whole line. */
class TakesHalfLines extends LineConnector {
  protected override makeLink(socket: Socket): LineLink {
    return new (class extends LineLink {
      protected override listen(from: Socket): void {
        super.listen(from);
        let tail = '';
        from.on('data', (bytes) => {
          tail = `${tail}${bytes}`.split('\n').at(-1) ?? '';
        });
        from.prependListener('end', () => this.hear(tail.split('*')[0] ?? ''));
      }
    })(socket, this.options.variables.timeoutMs);
  }
}

/** Takes any answer for the one that it waits for, and goes on where none came in time. */
class IgnoresNumbers extends LineConnector {
  protected override makeLink(socket: Socket): LineLink {
    return new (class extends LineLink {
      protected override hear(line: string): void {
        this.answerAnyone(line.replace(/^\d+ /, ''));
      }
    })(socket, this.options.variables.timeoutMs);
  }
}

/** Takes it for the answer to one question that the device does not know it any more. */
class StaysForgotten extends LineConnector {
  protected override makeLink(socket: Socket): LineLink {
    return new (class extends LineLink {
      protected override hear(line: string): void {
        super.hear(line.replace('who are you', 'no'));
      }
    })(socket, this.options.variables.timeoutMs);
  }
}

class ThrowsIntoTheVoid extends LineConnector {
  protected override makeLink(socket: Socket): LineLink {
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\n')) {
        if (line !== '' && !/^\d+ (?:is|no|done).*\*.{8}$/.test(line)) throw new Error(`what is ${line}?`);
      }
    });
    return super.makeLink(socket);
  }
}

class ReportsSeconds extends LineConnector {
  constructor(options: ConnectorOptions<LineVariables>) {
    super({ ...options, clock: { ...options.clock, now: () => Date.now() / 1000, after: options.clock.after } });
  }
}

export const flaws: Readonly<Record<string, Flaw>> = {
  connectsEarly: { make: (options) => new ConnectsEarly(options), fails: /nothing is sent before/ },
  forgetsNewPoints: { make: (options) => new ForgetsNewPoints(options), fails: /when the points change/ },
  leaksAbortListeners: { make: (options) => new LeaksAbortListeners(options), fails: /as many listeners/ },
  leaksSocketListeners: { make: (options) => new LeaksSocketListeners(options), fails: /as many listeners/ },
  leaksSockets: { make: (options) => new LeaksSockets(options), fails: /opened and closed/ },
  leaksTimers: { make: (options) => new LeaksTimers(options), fails: /opened and closed/ },
  leaksMemory: { make: (options) => new LeaksMemory(options), fails: /do not add up/ },
  sendsAfterClose: { make: (options) => new SendsAfterClose(options), fails: /nothing is sent after/ },
  ignoresItsEnd: { make: (options) => new IgnoresItsEnd(options), fails: /brings what the device has/ },
  queuesWrites: { make: (options) => new QueuesWrites(options), fails: /a write into a link that is dead/ },
  retriesWrites: { make: (options) => new RetriesWrites(options), fails: /a write whose answer is lost/ },
  acceptsUnheard: { make: (options) => new AcceptsUnheard(options), fails: /a write into a link that is dead/ },
  deniesWrites: { make: (options) => new DeniesWrites(options), fails: /a write whose answer is lost/ },
  refusesUnheard: { make: (options) => new RefusesUnheard(options), fails: /whatever befalls the answer/ },
  asksNobody: { make: (options) => new AsksNobody(options), fails: /may not send any more/ },
  losesReasons: { make: (options) => new LosesReasons(options), fails: /refused with its reason/ },
  waitsForEver: { make: (options) => new WaitsForEver(options), fails: /does not answer any more/ },
  givesUp: { make: (options) => new GivesUp(options), fails: /resets the link/ },
  repeatsItself: { make: (options) => new RepeatsItself(options), fails: /does not answer any more/ },
  ignoresChecksums: { make: (options) => new IgnoresChecksums(options), fails: /come garbled/ },
  takesHalfLines: { make: (options) => new TakesHalfLines(options), fails: /come cut off/ },
  ignoresNumbers: { make: (options) => new IgnoresNumbers(options), fails: /come twice/ },
  staysForgotten: { make: (options) => new StaysForgotten(options), fails: /forgets its clients/ },
  throwsIntoTheVoid: { make: (options) => new ThrowsIntoTheVoid(options), fails: /a byte at a time/ },
  reportsSeconds: { make: (options) => new ReportsSeconds(options), fails: /brings what the device has/ },
};
