// A sound connector for line devices, and the one that the flawed ones differ from.
import { Batch, type Datatype, pause, quality, type Value } from '@telltale/schema';
import {
  type Connector,
  type ConnectorOptions,
  NotConnected,
  Refused,
  type StackCommand,
  type StackPoint,
  type StackPoints,
  type WriteResult,
  written,
} from '../src/index.ts';
import { LineLink, openSocket } from './line-link.ts';

export interface LineVariables {
  readonly host: string;
  readonly port: number;
  readonly scanPeriodMs: number;
  readonly timeoutMs: number;
}

export class LineConnector implements Connector {
  protected readonly options: ConnectorOptions<LineVariables>;
  protected measurements: readonly StackPoint[] = [];
  protected link: LineLink | undefined;
  readonly #batch = new Batch();

  constructor(options: ConnectorOptions<LineVariables>) {
    this.options = options;
  }

  setPoints({ measurements }: StackPoints): void {
    this.measurements = measurements;
  }

  async connect(signal: AbortSignal): Promise<void> {
    const { host, port, timeoutMs } = this.options.variables;
    this.link = this.makeLink(await openSocket(host, port, timeoutMs, signal));
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.scan(signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      await this.pause(signal);
    }
  }

  async write({ address }: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    if (this.link === undefined) return written.notSent('it is not connected');
    if (!this.options.mayWrite()) return written.notPermitted;
    try {
      await this.link.ask(`set ${address} ${value}`, signal);
      return written.accepted;
    } catch (error) {
      if (error instanceof Refused) return written.refused(error.message);
      if (error instanceof NotConnected) return written.notSent(error.message);
      throw error;
    }
  }

  async close(): Promise<void> {
    const { link } = this;
    this.link = undefined;
    await link?.close();
  }

  protected get theLink(): LineLink {
    if (this.link === undefined) throw new Error('it is not connected');
    return this.link;
  }

  protected makeLink(socket: LineLink['socket']): LineLink {
    return new LineLink(socket, this.options.variables.timeoutMs);
  }

  protected async scan(signal: AbortSignal): Promise<void> {
    for (const { id, address, datatype } of this.measurements) {
      let answer: string | undefined;
      try {
        answer = await this.theLink.ask(`get ${address}`, signal);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
      const timeUs = this.options.clock.now();
      const value = answer === undefined ? undefined : readValue(datatype, answer);
      if (value === undefined) this.#batch.none(id, quality.bad.configurationError, timeUs);
      else this.#batch.value(id, value, quality.good, timeUs);
    }
    if (this.#batch.count > 0) this.options.publish(this.#batch);
  }

  protected pause(signal: AbortSignal): Promise<void> {
    return pause(this.options.clock, this.options.variables.scanPeriodMs, signal);
  }
}

function readValue(datatype: Datatype, answer: string): Value | undefined {
  const text = answer.slice('is '.length);
  return datatype === 's' ? text : Number(text);
}
