// Providers of lines that each do one thing that no provider may do. The conformance suite must fail on every one.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Batch, Value } from '@telltale/schema';
import { type Provider, type ProviderOptions, type StackPoints, type WriteResult, written } from '../src/index.ts';
import { LineReader, lineOf } from './line-codec.ts';
import { LineProvider, type LineProviderVariables, type Served } from './line-provider.ts';

interface Flaw {
  readonly make: (options: ProviderOptions<LineProviderVariables>) => Provider;
  /** Of the tests that fail because of it. */
  readonly fails: RegExp;
}

class ListensEarly extends LineProvider {
  override setPoints(points: StackPoints): void {
    super.setPoints(points);
    if (this.server === undefined) void this.connect(new AbortController().signal);
  }
}

class BeginsWithZero extends LineProvider {
  override setPoints(points: StackPoints): void {
    super.setPoints(points);
    for (const served of this.served.values()) {
      served.value = 0;
      served.isGood = true;
    }
  }
}

class HidesBadQuality extends LineProvider {
  override publish(batch: Batch): void {
    super.publish(batch);
    for (const served of this.served.values()) served.isGood = served.value !== undefined;
  }
}

class AcceptsEverything extends LineProvider {
  protected override async write(served: Served, value: Value): Promise<WriteResult> {
    await super.write(served, value);
    return written.accepted;
  }
}

class RefusesUnknown extends LineProvider {
  protected override async write(served: Served, value: Value): Promise<WriteResult> {
    const result = await super.write(served, value);
    return result.kind === 'unknown' ? written.refused(result.reason) : result;
  }
}

class ShowsUnwritten extends LineProvider {
  protected override async write(served: Served, value: Value): Promise<WriteResult> {
    served.value = value;
    return super.write(served, value);
  }
}

class WritesTwice extends LineProvider {
  protected override async write(served: Served, value: Value): Promise<WriteResult> {
    await super.write(served, value);
    return super.write(served, value);
  }
}

class WritesMeasurements extends LineProvider {
  protected override async write({ point }: Served, value: Value): Promise<WriteResult> {
    return this.options.write(point, value);
  }
}

class LeavesClients extends LineProvider {
  override async close(): Promise<void> {
    this.server?.close();
    this.server = undefined;
  }
}

class KeepsListening extends LineProvider {
  override async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
  }
}

class WaitsForClients extends LineProvider {
  override async close(): Promise<void> {
    if (this.server === undefined) return;
    this.server.close();
    await once(this.server, 'close');
  }
}

class FallsOverNonsense extends LineProvider {
  protected override accept(socket: Socket): void {
    super.accept(socket);
    socket.on('data', (bytes) => {
      if (!/^\d+ [gs]et /.test(`${bytes}`)) throw new Error('nonsense');
    });
  }
}

class RemembersClients extends LineProvider {
  readonly #buffers: Buffer[] = [];

  protected override accept(socket: Socket): void {
    super.accept(socket);
    this.#buffers.push(Buffer.alloc(16_384, this.#buffers.length));
  }
}

/** What a client asks is answered as it comes, however much. */
class AnswersAtOnce extends LineProvider {
  protected override accept(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket)).on('error', () => {});
    const reader = new LineReader((line) => {
      this.options.meter.served();
      this.answer(line).then((answer) => socket.write(lineOf(answer)));
    });
    socket.on('data', (bytes) => reader.take(bytes));
  }
}

export const providerFlaws: Readonly<Record<string, Flaw>> = {
  listensEarly: { make: (options) => new ListensEarly(options), fails: /neither listens nor connects before/ },
  beginsWithZero: { make: (options) => new BeginsWithZero(options), fails: /what has no value yet/ },
  hidesBadQuality: { make: (options) => new HidesBadQuality(options), fails: /turns bad is not seen as good/ },
  acceptsEverything: { make: (options) => new AcceptsEverything(options), fails: /that ends as refused/ },
  refusesUnknown: { make: (options) => new RefusesUnknown(options), fails: /that ends as unknown/ },
  showsUnwritten: { make: (options) => new ShowsUnwritten(options), fails: /leaves the value as it is/ },
  writesTwice: { make: (options) => new WritesTwice(options), fails: /reaches the server once/ },
  writesMeasurements: { make: (options) => new WritesMeasurements(options), fails: /a measurement cannot be/ },
  leavesClients: { make: (options) => new LeavesClients(options), fails: /stopped while clients are there/ },
  keepsListening: { make: (options) => new KeepsListening(options), fails: /started and stopped/ },
  waitsForClients: { make: (options) => new WaitsForClients(options), fails: /stopped while clients are there/ },
  fallsOverNonsense: { make: (options) => new FallsOverNonsense(options), fails: /talk nonsense/ },
  answersAtOnce: { make: (options) => new AnswersAtOnce(options), fails: /clients that never stop/ },
  remembersClients: { make: (options) => new RemembersClients(options), fails: /come and go do not add up/ },
};
