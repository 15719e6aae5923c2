// The simulated device behind a connector: its echoes, model, faults and end of the bus. It outlives the link, and
// knows what each address reads and what a write to each does.
import { type Clock, quality, type Value, zeroOf } from '@telltale/schema';
import { Refused, type StackLog, type StackPoint, type WriteResult, written } from '@telltale/stack-kit';
import type { Address } from './address.ts';
import { BusReader } from './bus-reader.ts';
import { putNumberAs, putValueAs } from './convert-value.ts';
import { Echo } from './echo.ts';
import { Faults } from './faults.ts';
import type { Read, Scan } from './item.ts';
import type { CreateModel, Model } from './model.ts';
import { randomOf } from './random.ts';
import { counter, ramp, sine, square, type TimeFunction, text, walk } from './time-functions.ts';

export interface DeviceVariables {
  readonly speed: number;
  readonly seed: number;
  readonly bus: string;
}

export class Device {
  readonly faults = new Faults();
  readonly bus: BusReader;
  readonly #variables: DeviceVariables;
  readonly #log: StackLog;
  readonly #echoes = new Map<string, Echo>();
  readonly #createModel: CreateModel | undefined;
  #running: { model: Model; atSeconds: number | undefined } | undefined;
  /** Tags of the model that have been written to, or begun with what a command shows. */
  readonly #set = new Set<string>();
  #late = false;

  constructor(variables: DeviceVariables, log: StackLog, createModel?: CreateModel) {
    this.#variables = variables;
    this.#log = log;
    this.#createModel = createModel;
    this.bus = new BusReader(variables.bus);
  }

  /** Goes on to the time of the scan. */
  advance({ elapsedSeconds }: Scan): void {
    if (this.#running === undefined) return;
    const { model, atSeconds = elapsedSeconds } = this.#running;
    const late = model.advance(elapsedSeconds - atSeconds);
    this.#running.atSeconds = elapsedSeconds;
    if (late > 0 && !this.#late) this.#log.warn(`the model cannot keep up with the variable speed: ${late} s behind`);
    this.#late ||= late > 0;
  }

  /** How the measurement is read: all that can be done once is done here. */
  reader(point: StackPoint, address: Address, nowUs: number): Read {
    switch (address.function) {
      case 'sine':
        return byClock(point, sine(address.arguments));
      case 'ramp':
        return byClock(point, ramp(address.arguments));
      case 'square':
        return byClock(point, square(address.arguments));
      case 'walk':
        return sinceBegin(point, walk(address.arguments, randomOf(this.#variables.seed, point.name)));
      case 'counter':
        return sinceBegin(point, counter(address.arguments, point.datatype));
      case 'text': {
        const words = text(address.arguments);
        return (batch, id, { clockSeconds, timeUs }) => batch.text(id, words(clockSeconds), quality.good, timeUs);
      }
      case 'echo':
        return this.#echoReader(point, address.arguments.tag, address.arguments.delay);
      case 'model':
        return this.#modelReader(point, address.arguments.tag, nowUs);
      case 'bus':
        return this.#busReader(point, address.arguments.tag);
      default: {
        return (batch, id, { timeUs, monotonicMs }) =>
          batch.number(id, Number(this.faults.holds(address, monotonicMs)), quality.good, timeUs);
      }
    }
  }

  /** A tag that was not written yet begins with this value of a command. Throws `Refused` where it cannot. */
  begin(address: Address, value: Value, nowUs: number): void {
    if (address.function === 'echo') this.#echo(address.arguments.tag).begin(value);
    if (address.function !== 'model' || this.#set.has(address.arguments.tag)) return;
    this.#model(nowUs).begin(address.arguments.tag, value);
    this.#set.add(address.arguments.tag);
  }

  /** Throws `Refused` where the device does not take the value. */
  async write(address: Address, value: Value, clock: Clock, signal: AbortSignal): Promise<WriteResult> {
    switch (address.function) {
      case 'echo':
        this.#echo(address.arguments.tag).write(value, clock.monotonicMs());
        return written.accepted;
      case 'model':
        this.#model(clock.now()).write(address.arguments.tag, value);
        this.#set.add(address.arguments.tag);
        return written.accepted;
      case 'bus':
        return this.bus.write(address.arguments.tag, value, signal);
      default:
        throw new Refused(`${address.function} is not written to`);
    }
  }

  #echoReader({ datatype }: StackPoint, tag: string, delay: number): Read {
    const echo = this.#echo(tag);
    const delayMs = delay * 1000;
    echo.lagBy(delayMs);
    const put = putValueAs(datatype);
    const zero = zeroOf(datatype);
    return (batch, id, { timeUs, monotonicMs }) =>
      put(batch, id, echo.at(monotonicMs - delayMs) ?? zero, quality.good, timeUs);
  }

  #modelReader({ datatype }: StackPoint, tag: string, nowUs: number): Read {
    const read = this.#model(nowUs).reader(tag);
    if (read === undefined) return misconfigured;
    const put = putNumberAs(datatype);
    return (batch, id, { timeUs }) => {
      const value = read();
      if (typeof value === 'string') batch.text(id, value, quality.good, timeUs);
      else put(batch, id, value, timeUs);
    };
  }

  #busReader({ datatype }: StackPoint, tag: string): Read {
    const put = putValueAs(datatype);
    return (batch, id, scan) => {
      const reading = this.bus.read(tag);
      if (reading === undefined) batch.none(id, quality.bad.notConnected, scan.timeUs);
      else if (reading.value === undefined) batch.none(id, reading.quality, reading.timeUs);
      else put(batch, id, reading.value, reading.quality, reading.timeUs);
    };
  }

  #echo(tag: string): Echo {
    const echo = this.#echoes.get(tag) ?? new Echo(tag);
    this.#echoes.set(tag, echo);
    return echo;
  }

  /** It is there as soon as a point asks for it. */
  #model(nowUs: number): Model {
    if (this.#running === undefined) {
      if (this.#createModel === undefined) throw new Refused('there is no model');
      const { seed, speed } = this.#variables;
      this.#running = { model: this.#createModel(seed, (nowUs / 1_000_000) * speed), atSeconds: undefined };
    }
    return this.#running.model;
  }
}

/** Of a point with an invalid address, which rendering refuses. */
export const misconfigured: Read = (batch, id, { timeUs }) => batch.none(id, quality.bad.configurationError, timeUs);

function byClock(point: StackPoint, value: TimeFunction): Read {
  const put = putNumberAs(point.datatype);
  return (batch, id, { clockSeconds, timeUs }) => put(batch, id, value(clockSeconds), timeUs);
}

function sinceBegin(point: StackPoint, value: TimeFunction): Read {
  const put = putNumberAs(point.datatype);
  return (batch, id, { elapsedSeconds, timeUs }) => put(batch, id, value(elapsedSeconds), timeUs);
}
