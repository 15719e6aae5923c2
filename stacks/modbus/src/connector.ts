// The connector: polls the units of one line, writes commands, and says what exceptions mean. The protocol is the
// client's, the rhythm the poller's.
import { type Batch, onAbort, quality, type Value } from '@telltale/schema';
import {
  type CommandWrite,
  type Connector,
  type ConnectorOptions,
  type InstanceDetail,
  NoAnswer,
  NotConnected,
  PeerCertificates,
  Poller,
  peerNameOf,
  type ReadingTrace,
  Refused,
  readTls,
  type StackCommand,
  type StackPoint,
  type StackPoints,
  TlsPeer,
  type WriteResult,
} from '@telltale/stack-kit';
import { type Address, parseAddress } from './address.ts';
import { Client, LostAnswer } from './client.ts';
import { CommandWriter } from './command-writer.ts';
import { exceptionCodes, ModbusException } from './pdu.ts';
import { halve, planReads, requestName } from './plan-reads.ts';
import { explainReading, type Item, itemOf, putReadings, type ReadRequest } from './reading.ts';
import { RtuFraming } from './rtu-frame.ts';
import { SerialTransport } from './serial-transport.ts';
import { TcpFraming } from './tcp-frame.ts';
import { TcpTransport, type TransportTls } from './tcp-transport.ts';
import type { ConnectorVariables } from './variables.ts';

export function createConnector(options: ConnectorOptions<ConnectorVariables>): Connector {
  return new ModbusConnector(options);
}

/** Requests that a device may fail within one read, before what it fails is not looked into further. */
const maxFailuresARead = 10;
/** How long requests that were halved, to find what fails in them, stay so. */
const halvedMs = 60_000;

class ModbusConnector implements Connector {
  readonly #options: ConnectorOptions<ConnectorVariables>;
  readonly #client: Client;
  readonly #poller: Poller<ReadRequest>;
  readonly #items = new Map<number, Item>();
  readonly #writer: CommandWriter;

  constructor(options: ConnectorOptions<ConnectorVariables>) {
    this.#options = options;
    const { clock, meter, log, publish, variables } = options;
    this.#client = createClient(options);
    this.#writer = new CommandWriter({
      variables,
      place: (command) => this.#parse(command),
      ask: (unit, pdu, signal) => this.#client.request(unit, pdu, signal, true),
    });
    // One more waits than the device is asked at once: it goes out before the answer before it has been read.
    const atOnce = variables.transport === 'tcp' ? variables.pipelining + 1 : 1;
    this.#poller = new Poller({
      clock,
      // The client knows better how long the device took: for the poller, the wait for the line counts as well.
      meter: { answered: () => {}, failed: () => meter.failed(), overrun: () => meter.overrun() },
      log,
      publish,
      reconnectMaxMs: options.reconnectMaxMs,
      scanPeriodMs: variables.scanPeriodMs,
      deviceOf: (point) => String(this.#items.get(point.id)?.unit ?? variables.unit),
      plan: (points) => this.#plan(points),
      read: (request, batch, signal) => this.#read(request, batch, signal),
      requestsAtOnce: atOnce,
      requestsAtOnceInAll: atOnce,
    });
  }

  setPoints({ measurements }: StackPoints): void {
    this.#items.clear();
    for (const point of measurements) {
      const address = this.#parse(point);
      if (typeof address === 'string') this.#options.log.warn(`${point.name}: ${address}`);
      else this.#items.set(point.id, itemOf(point, address, this.#options.variables.unit));
    }
    this.#poller.setPoints(measurements);
  }

  async connect(signal: AbortSignal): Promise<void> {
    await this.#client.connect(signal);
    await this.#poller.probe(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    if (signal.aborted) return;
    const stopListening = onAbort(signal, (reason) => ending.abort(reason));
    let lost: Error | undefined;
    this.#client.lost.catch((error: Error) => {
      lost = error;
      ending.abort(error);
    });
    try {
      await this.#poller.run(ending.signal);
    } finally {
      stopListening();
    }
    if (lost !== undefined && !signal.aborted) throw lost;
  }

  write(command: StackCommand, value: Value, signal: AbortSignal): Promise<WriteResult> {
    return this.#writer.write({ command, value }, signal);
  }

  writeMany(writes: readonly CommandWrite[], signal: AbortSignal): Promise<readonly WriteResult[]> {
    return this.#writer.writeMany(writes, signal);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  detail(): InstanceDetail {
    return this.#poller.detail();
  }

  explain(measurement: StackPoint): ReadingTrace | undefined {
    const item = this.#items.get(measurement.id);
    const request = item?.lastRead;
    if (item === undefined || request === undefined) return undefined;
    const { answer, isAnswered, timeUs, error, start } = request;
    return {
      timeUs,
      request: requestName(request),
      ...(isAnswered ? explainReading(item, answer, start) : { raw: undefined, value: undefined }),
      error,
      device: String(item.unit),
      scanPeriodMs: this.#poller.groupOf(measurement),
    };
  }

  /** Where it lies, or why it cannot be reached. */
  #parse({ address: text }: StackPoint): Address | string {
    const { variables } = this.#options;
    const { address, fault } = parseAddress(text, variables.order);
    if (address === undefined) return fault;
    if (variables.transport !== 'tcp' && (address.unit ?? variables.unit) === 0) {
      return `${text}: unit 0 is a broadcast on a serial line, which no unit answers`;
    }
    return address;
  }

  #plan(points: readonly StackPoint[]): readonly ReadRequest[] {
    const { maxRegisters, maxGap } = this.#options.variables;
    const items = points.flatMap(({ id }) => this.#items.get(id) ?? []);
    return planReads(items, { maxRegisters, maxGap });
  }

  async #read(request: ReadRequest, batch: Batch, signal: AbortSignal): Promise<void> {
    const counts = { failed: 0, answered: 0 };
    await this.#readOrHalves(request, batch, signal, counts);
    // All of it fails: the next scan need not look into its parts.
    if (counts.answered === 0) request.halves = undefined;
  }

  async #readOrHalves(
    request: ReadRequest,
    batch: Batch,
    signal: AbortSignal,
    counts: { failed: number; answered: number },
  ): Promise<void> {
    const { clock } = this.#options;
    if (request.halves === undefined || request.halves.untilMs < clock.monotonicMs()) {
      request.halves = undefined;
      if (await this.#readOnce(request, batch, signal)) {
        counts.answered++;
        return;
      }
      counts.failed++;
      if (request.items.length === 1 || counts.failed >= maxFailuresARead) {
        for (const { point } of request.items) batch.none(point.id, quality.bad.deviceFailure, request.timeUs);
        return;
      }
      request.halves = { parts: halve(request), untilMs: clock.monotonicMs() + halvedMs };
    }
    for (const part of request.halves.parts) await this.#readOrHalves(part, batch, signal, counts);
  }

  /** False where the device says that it has failed: one register of many may be the reason. */
  async #readOnce(request: ReadRequest, batch: Batch, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    try {
      const bytes = await this.#client.request(request.unit, request.pdu, signal);
      request.timeUs = clock.now();
      request.error = undefined;
      request.isAnswered = true;
      new Uint8Array(request.answer.buffer).set(bytes);
    } catch (error) {
      request.timeUs = clock.now();
      request.error = (error as Error).message;
      request.isAnswered = false;
      for (const item of request.items) item.lastRead = request;
      if (error instanceof ModbusException && isFailure(error.code)) {
        this.#options.meter.failed();
        return false;
      }
      signal.throwIfAborted();
      throw readFailure(error, request.unit);
    }
    putReadings(request, request.answer, batch);
    return true;
  }
}

function createClient(options: ConnectorOptions<ConnectorVariables>): Client {
  const { variables, clock, meter, startProcess, mayWrite } = options;
  const { transport, host, port, timeoutMs, requestDelayMs: delayMs, pipelining: maxAtOnce } = variables;
  return new Client({
    transport:
      transport === 'serial'
        ? new SerialTransport(variables, startProcess)
        : new TcpTransport({ host, port, clock, isSerialLine: transport === 'rtu-tcp', tls: tlsOf(options) }),
    framing: transport === 'tcp' ? new TcpFraming() : new RtuFraming(),
    clock,
    timeoutMs,
    delayMs,
    maxAtOnce: transport === 'tcp' ? maxAtOnce : 1,
    mayWrite,
    onRoundTrip: (ms) => meter.answered(ms),
  });
}

function tlsOf(options: ConnectorOptions<ConnectorVariables>): (() => Promise<TransportTls>) | undefined {
  const { variables, folder, clock } = options;
  if (!variables.tls) return undefined;
  const certificates = new PeerCertificates(options);
  const address = `${variables.host}:${variables.port}`;
  return async () => ({
    options: await readTls(variables, folder),
    peer: await TlsPeer.of({ certificates, address, serverName: peerNameOf(variables), clock }),
  });
}

function isFailure(code: number): boolean {
  return code === exceptionCodes.serverDeviceFailure || code === exceptionCodes.memoryParityError;
}

/** Gateways report a silent unit; a busy one has no values, and is retried as a silent one is. */
const silentCodes: readonly number[] = [
  exceptionCodes.acknowledge,
  exceptionCodes.serverDeviceBusy,
  exceptionCodes.gatewayPathUnavailable,
  exceptionCodes.gatewayTargetSilent,
];

function readFailure(error: unknown, unit: number): unknown {
  if (error instanceof LostAnswer) return new NotConnected(error.message);
  if (!(error instanceof ModbusException)) return error;
  const text = `unit ${unit}: ${error.message}`;
  return silentCodes.includes(error.code) ? new NoAnswer(text) : new Refused(text);
}
