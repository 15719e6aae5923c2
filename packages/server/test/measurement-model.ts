// The live measurements written down plainly from the rules of SPEC.md: objects and maps, nothing that is fast.
import { formatPrefixed, isBad, type Measurement, parsePrefixedAs, type Value, zeroOf } from '@telltale/schema';
import { plainReading } from './plain-chain.ts';
import type { PlainReading } from './points-bench.ts';

interface State {
  readonly value: Value;
  readonly quality: number;
  readonly timeUs: number;
}

interface ModelPoint {
  readonly definition: Measurement;
  device: State;
  forced: (State & { readonly untilUs: number | undefined }) | undefined;
}

interface Held {
  readonly before: Map<string, State>;
  readonly newest: Map<string, PlainReading>;
}

interface ModelLink {
  watchdog: string | undefined;
  isUp: boolean | undefined;
  isDisabled: boolean;
  sinceUs: number;
  held: Held | undefined;
}

export class MeasurementModel {
  readonly points = new Map<string, ModelPoint>();
  readonly links = new Map<string, ModelLink>();
  /** Simulations on disk. */
  readonly disk = new Map<string, NonNullable<ModelPoint['forced']>>();
  /** What is handed on, in order. */
  published: [name: string, value: string, timeUs: number, quality: number][] = [];
  nowUs: number;

  constructor(nowUs: number) {
    this.nowUs = nowUs;
  }

  get held(): number {
    let count = 0;
    for (const { held } of this.links.values()) count += held?.newest.size ?? 0;
    return count;
  }

  stateOf(name: string): [value: string, timeUs: number, quality: number] {
    const { definition, device, forced } = this.points.get(name) as ModelPoint;
    const { value, timeUs, quality } = forced ?? device;
    return [formatPrefixed(definition.datatype, value), timeUs, quality];
  }

  putLink(name: string, watchdog: string | undefined, isDisabled = false): void {
    const isUp = isDisabled ? false : undefined;
    const link = this.links.get(name) ?? { watchdog, isUp, isDisabled, sinceUs: this.nowUs, held: undefined };
    this.links.set(name, link);
    const old = link.watchdog;
    if (old !== undefined && old !== watchdog && this.points.has(old) && !this.#isDriven(old)) {
      this.#set(old, { quality: 0x08, timeUs: this.nowUs });
    }
    link.watchdog = watchdog;
    this.#drive(link);
    this.#settle();
  }

  /** With the simulation that it had before a restart. */
  put(definition: Measurement, resumed?: ModelPoint['forced']): void {
    const { name, datatype, connectorName } = definition;
    const old = this.points.get(name);
    const isOther = old?.definition.datatype !== datatype;
    const isElsewhere = isOther || sourceOf(old?.definition) !== sourceOf(definition);
    let forced = resumed ?? old?.forced;
    if (resumed === undefined && forced !== undefined && (isOther || old?.definition.connectorName !== connectorName)) {
      forced = undefined;
      this.disk.delete(name);
    }
    if (isElsewhere) this.#forgetHeld(name);
    const isOut = definition.address !== undefined && this.links.get(connectorName ?? '')?.isDisabled === true;
    const quality = isOut ? 0x1c : 0x08;
    const zero = { value: zeroOf(datatype), quality, timeUs: isOut ? this.nowUs : 0 };
    const stored = old?.device ?? zero;
    const device = isOther ? zero : isElsewhere ? { ...stored, quality, timeUs: this.nowUs } : stored;
    this.points.set(name, { definition, device, forced });
    if (isElsewhere) this.#publish(name);
    for (const link of this.links.values()) if (link.watchdog === name) this.#drive(link);
    this.#settle();
  }

  remove(name: string): void {
    if (this.points.get(name)?.forced !== undefined) this.disk.delete(name);
    this.#forgetHeld(name);
    this.points.delete(name);
    this.#settle();
  }

  read(connector: string, readings: readonly PlainReading[]): void {
    const link = this.links.get(connector) as ModelLink;
    if (link.isDisabled) return;
    for (const each of readings) {
      const reading = { timeUs: this.nowUs, ...each };
      const point = this.points.get(String(reading.point));
      const isHeld = link.held !== undefined && reading.point !== link.watchdog && isLinked(point, connector);
      if (isHeld) {
        link.held?.newest.delete(String(reading.point));
        link.held?.newest.set(String(reading.point), reading);
      } else if (point?.definition.connectorName === connector) this.#take(reading);
    }
    this.#settle();
  }

  setLink(name: string, isUp: boolean): void {
    const link = this.links.get(name) as ModelLink;
    if (link.isDisabled) return;
    const isLoss = link.isUp === true && !isUp;
    Object.assign(link, { isUp, sinceUs: this.nowUs });
    if (isLoss) {
      link.held?.before.clear();
      link.held?.newest.clear();
      this.#lose(name, this.nowUs, undefined);
    }
    this.#drive(link);
    this.#settle();
  }

  /** LI-9 */
  setDisabled(name: string, isDisabled: boolean): void {
    const link = this.links.get(name) as ModelLink;
    if (link.isDisabled === isDisabled) return;
    Object.assign(link, { isDisabled, isUp: isDisabled ? false : undefined, sinceUs: this.nowUs });
    link.held?.before.clear();
    link.held?.newest.clear();
    for (const [each, { definition }] of this.points) {
      if (definition.connectorName !== name || definition.address === undefined) continue;
      this.#set(each, { quality: isDisabled ? 0x1c : 0x08, timeUs: this.nowUs });
    }
    this.#drive(link);
    this.#settle();
  }

  simulate(name: string, text: string, quality: number, validForS: number | undefined): void {
    const point = this.points.get(name);
    if (point === undefined || text[0] !== point.definition.datatype) return;
    const untilUs = validForS === undefined ? undefined : this.nowUs + validForS * 1e6;
    const value = parsePrefixedAs(point.definition.datatype, text);
    point.forced = { value, quality: quality | 0x8000, timeUs: this.nowUs, untilUs };
    this.disk.set(name, point.forced);
    this.#publish(name);
    this.#settle();
  }

  stop(name: string): void {
    const point = this.points.get(name);
    if (point?.forced === undefined) return;
    this.disk.delete(name);
    point.forced = undefined;
    this.#publish(name);
    this.#settle();
  }

  advance(ms: number): void {
    const endUs = this.nowUs + ms * 1000;
    const due = [...this.points].filter(([, { forced }]) => (forced?.untilUs ?? Number.POSITIVE_INFINITY) <= endUs);
    for (const [name, { forced }] of due.sort(([, a], [, b]) => (a.forced?.untilUs ?? 0) - (b.forced?.untilUs ?? 0))) {
      this.nowUs = forced?.untilUs ?? this.nowUs;
      this.stop(name);
    }
    this.nowUs = endUs;
  }

  /** Everything but the disk is gone; links and points come again, in the same order. */
  restart(): void {
    const links = [...this.links].map(([name, { watchdog, isDisabled }]) => [name, watchdog, isDisabled] as const);
    const points = [...this.points.values()].map(({ definition }) => definition);
    this.links.clear();
    this.points.clear();
    for (const link of links) this.putLink(...link);
    for (const definition of points) this.put(definition, this.disk.get(definition.name));
  }

  #take({ point: name, value: given, quality: status = 0xc0, timeUs = this.nowUs }: PlainReading): void {
    const point = this.points.get(String(name)) as ModelPoint;
    const raw = typeof given === 'boolean' ? Number(given) : given;
    const next = plainReading(point.definition, point.device, raw, status);
    if (next !== undefined) this.#set(String(name), { ...next, timeUs: timeUs >= 0 ? timeUs : this.nowUs });
  }

  #set(name: string, state: Partial<State>): void {
    const point = this.points.get(name) as ModelPoint;
    point.device = { ...point.device, ...state };
    if (point.forced === undefined) this.#publish(name);
  }

  #publish(name: string): void {
    this.published.push([name, ...this.stateOf(name)]);
  }

  #isDriven(watchdog: string): boolean {
    return this.points.get(watchdog)?.definition.address !== undefined;
  }

  /** LI-2 */
  #drive({ watchdog, isUp, sinceUs }: ModelLink): void {
    const point = watchdog === undefined ? undefined : this.points.get(watchdog);
    if (watchdog === undefined || point === undefined || this.#isDriven(watchdog)) return;
    const [value, quality] = [isUp ?? false, isUp === undefined ? 0x08 : 0xc0];
    if (point.device.value === value && point.device.quality === quality) return;
    this.#set(watchdog, { value, quality, timeUs: sinceUs });
  }

  /** LI-3, LI-4, LI-6, LI-7 */
  #settle(): void {
    for (const [name, link] of this.links) {
      const point = link.watchdog === undefined ? undefined : this.points.get(link.watchdog);
      const { value, quality, timeUs } = point?.forced ?? point?.device ?? { value: true, quality: 0xc0, timeUs: 0 };
      const isDriven = point?.definition.address !== undefined;
      const isHealthy = !isDriven || (value === true && !isBad(quality));
      const { held } = link;
      if (isHealthy && held !== undefined) {
        link.held = undefined;
        for (const [each, before] of held.before) if (!held.newest.has(each)) this.#set(each, before);
        for (const reading of held.newest.values()) this.#take(reading);
      } else if (!isHealthy && held === undefined) {
        const linked = [...this.points].filter(([each, other]) => each !== link.watchdog && isLinked(other, name));
        const before = linked.map(([each, { device }]) => [each, { ...device }] as const);
        link.held = { before: new Map(before), newest: new Map() };
        this.#lose(name, timeUs, link.watchdog);
      }
    }
  }

  /** LI-1 */
  #lose(link: string, timeUs: number, except: string | undefined): void {
    if (this.links.get(link)?.isDisabled) return;
    for (const [name, point] of this.points) {
      if (name === except || !isLinked(point, link) || point.device.quality === 0x18) continue;
      this.#set(name, { quality: 0x18, timeUs });
    }
  }

  #forgetHeld(name: string): void {
    for (const { held } of this.links.values()) {
      held?.before.delete(name);
      held?.newest.delete(name);
    }
  }
}

function isLinked(point: ModelPoint | undefined, link: string): boolean {
  if (point === undefined) return false;
  const { connectorName, address, stackUmask = 0 } = point.definition;
  return connectorName === link && address !== undefined && (stackUmask & 1) === 0;
}

/** DE-2 */
function sourceOf(definition: Measurement | undefined): string {
  if (definition === undefined) return '';
  const { connectorName, address, rawDatatype, rawRangeLo, rawRangeHi, euRangeLo, euRangeHi, properties } = definition;
  const ranges = [rawRangeLo, rawRangeHi, euRangeLo, euRangeHi];
  return JSON.stringify([connectorName, address, rawDatatype, ranges, properties, (definition.stackUmask ?? 0) & 3]);
}
