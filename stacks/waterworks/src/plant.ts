// The process model of the waterworks: water from the intake through tank 1, three pumps and the rising main into tank 2
// and on to the town. Fixed steps of 0.1 simulated seconds, so that the same seed and the same writes give the same plant.
import { randomOf } from '@telltale/stack-simulator/model';
import { Dosing } from './dosing.ts';
import { Pump } from './pump.ts';
import { solveMain } from './rising-main.ts';
import { Valve } from './valve.ts';
import { Wander } from './wander.ts';

export const stepSeconds = 0.1;
const stepsASecond = 10;
/** A scan must end: what a fast plant would be further, it is not. */
export const maxStepsAScan = 10_000;

export const tank1 = { area: 60, capacity: 300, low: 0.6, high: 4.7 } as const;
export const tank2 = { area: 50, capacity: 400, low: 1, high: 7.7 } as const;
const inletFullFlow = 380;
const drainFlow = 80;
/** m³/h on an ordinary day, its mean. */
const townFlow = 110;
/** The most that the outlet of a full tank 2 lets through. */
const outletFullFlow = 700;
const townHead = 35;
const townFriction = 7.7e-5;
export const metresABar = 10.2;
/** Between two changes of how many pumps the level control runs. */
const stagingSeconds = 60;
/** How long a button stays down. */
const pressedSeconds = 2;

export class Waterworks {
  // What an operator sets.
  inletAuto = 1;
  inletSetpoint = 50;
  tank1Setpoint = 3.5;
  tank2Setpoint = 6;
  drainWanted = 0;
  outletWanted = 1;
  demand = 100;

  readonly inlet = new Valve(0.35, 60);
  readonly drain = new Valve(0, 15);
  readonly outlet = new Valve(1, 20);
  readonly pumps: readonly [Pump, Pump, Pump] = [new Pump(1), new Pump(1), new Pump(0)];
  readonly dosing = new Dosing();

  /** m³. */
  volume1 = 3.4 * tank1.area;
  volume2 = 5.8 * tank2.area;
  /** m³/h, as they are at this moment. */
  inletFlow = 0;
  drained = 0;
  mainFlow = 0;
  townFlow = 0;
  overflowing = false;
  /** m at the pumps, and bar in the town. */
  mainHead = 0;
  townBar = 3.7;
  low1 = false;
  high1 = false;
  low2 = false;
  high2 = false;
  /** m³ since the beginning. */
  readonly totals = { inlet: 0, drained: 0, spilled1: 0, main: 0, spilled2: 0, town: 0 };

  readonly turbidity: Wander;
  readonly temperature: Wander;
  readonly ph: Wander;
  readonly clarity: Wander;
  /** What instruments add, -1 to 1, new every second. */
  readonly noise = { flow: 0, pressure: 0, level: 0, current: 0 };
  readonly #habit: Wander;
  readonly #random: () => number;
  /** Simulated seconds since the epoch, and those not stepped through yet. */
  #seconds: number;
  #owed = 0;
  #steps = 0;
  #wanted = 0;
  #trim = 35;
  #staged = 0;
  #sinceStaging = stagingSeconds;
  readonly #chosen = new Set<Pump>();
  /** The buttons that are down, and for how many seconds more. */
  readonly #pressed = new Map<Pump | 'refill', number>();
  readonly #speeds = [0, 0, 0];
  readonly #flows = [0, 0, 0];

  /** `seconds` since the epoch tell the time of the day in the town. */
  constructor(seed: number, seconds: number) {
    this.#seconds = seconds;
    const random = (name: string) => randomOf(seed, `waterworks ${name}`);
    this.#random = random('noise');
    this.turbidity = new Wander(3.5, 2.5, 3600, random('turbidity'));
    this.temperature = new Wander(11, 2, 20_000, random('temperature'));
    this.ph = new Wander(7.4, 0.25, 7200, random('ph'));
    this.clarity = new Wander(0.1, 0.06, 1800, random('clarity'));
    this.#habit = new Wander(1, 0.12, 900, random('habit'));
    this.#second();
    this.#step();
  }

  get level1(): number {
    return this.volume1 / tank1.area;
  }

  get level2(): number {
    return this.volume2 / tank2.area;
  }

  /** NTU: what settles in the tanks does not reach the town. */
  get treatedTurbidity(): number {
    return this.clarity.value + 0.04 * this.turbidity.value;
  }

  /** kW. */
  get power(): number {
    let kilowatts = 8 + (this.dosing.running ? 0.2 : 0);
    for (const pump of this.pumps) kilowatts += pump.kilowatts / 0.93;
    return kilowatts;
  }

  /** A button, which comes up again by itself: the reset of a pump, or the refill of the day tank. */
  press(button: Pump | 'refill'): void {
    this.#pressed.set(button, pressedSeconds);
    if (button === 'refill') this.dosing.refill();
    else button.reset(this.low1);
  }

  pressed(button: Pump | 'refill'): boolean {
    return this.#pressed.has(button);
  }

  /** Steps until so many more seconds have passed. Returns the seconds that were too many for one call. */
  advance(seconds: number): number {
    this.#owed += seconds;
    const steps = Math.min(maxStepsAScan, Math.floor(this.#owed / stepSeconds + 1e-6));
    for (let step = 0; step < steps; step++) this.#step();
    const owed = Math.max(0, this.#owed - steps * stepSeconds);
    const late = steps === maxStepsAScan ? owed : 0;
    this.#owed = owed - late;
    return late;
  }

  #step(): void {
    if (++this.#steps % stepsASecond === 0) this.#second();
    this.#pump();
    this.#flow();
    this.#switch();
  }

  /** What changes slowly. */
  #second(): void {
    this.#seconds += 1;
    for (const [button, seconds] of this.#pressed) {
      if (seconds > 1) this.#pressed.set(button, seconds - 1);
      else this.#pressed.delete(button);
    }
    for (const each of [this.turbidity, this.temperature, this.ph, this.clarity, this.#habit]) each.step();
    const noise = () => 2 * this.#random() - 1;
    this.noise.flow = noise();
    this.noise.pressure = noise();
    this.noise.level = noise();
    this.noise.current = noise();
    this.#wanted = (this.demand / 100) * townFlow * dailyCurve((this.#seconds / 3600) % 24) * this.#habit.value;
    this.#controlInlet();
    this.#stagePumps();
    this.dosing.step(this.mainFlow, this.volume2);
  }

  /**
   * Proportional and integral, in % of the valve. The integral stands still where the valve can do no more, and follows
   * the valve while that is in manual, so that it does not jump when it is put back.
   */
  #controlInlet(): void {
    const missing = this.tank1Setpoint - this.level1;
    const asked = this.#trim + 100 * missing;
    if (this.inletAuto !== 1) this.#trim = 100 * (this.inlet.position - missing);
    else if ((asked > 0 || missing > 0) && (asked < 100 || missing < 0)) this.#trim += (100 * missing) / 1800;
    this.#trim = Math.min(100, Math.max(0, this.#trim));
  }

  /** How many pumps run in automatic, and which: those that have run least begin, those that have run most end. */
  #stagePumps(): void {
    const missing = this.tank2Setpoint - this.level2;
    this.#sinceStaging += 1;
    const available = this.pumps.filter((pump) => pump.available).length;
    let staged = Math.min(this.#staged, available);
    if (this.high2 || missing < -0.15) staged = 0;
    else if (this.#sinceStaging >= stagingSeconds && staged < available && missing > 0.15 + 0.35 * staged) staged += 1;
    else if (this.#sinceStaging >= stagingSeconds && staged > 1 && missing < 0.1 * (staged - 1)) staged -= 1;
    if (staged !== this.#staged) this.#sinceStaging = 0;
    this.#staged = staged;
    this.#choosePumps();
  }

  #choosePumps(): void {
    for (const pump of this.#chosen) if (!pump.available) this.#chosen.delete(pump);
    const byHours = (pumps: Iterable<Pump>) => [...pumps].sort((one, other) => one.hours - other.hours);
    while (this.#chosen.size > this.#staged) {
      const longest = byHours(this.#chosen).at(-1);
      if (longest !== undefined) this.#chosen.delete(longest);
    }
    if (this.#chosen.size === this.#staged) return;
    const idle = byHours(this.pumps).filter((pump) => pump.available && !this.#chosen.has(pump));
    for (const pump of idle.slice(0, this.#staged - this.#chosen.size)) this.#chosen.add(pump);
  }

  #pump(): void {
    let turning = false;
    this.pumps.forEach((pump, index) => {
      pump.drive(this.#chosen.has(pump), stepSeconds);
      this.#speeds[index] = pump.speed;
      turning ||= pump.speed > 0;
    });
    const difference = this.level2 - this.level1;
    const { total, head } = solveMain(turning ? this.#speeds : [], difference, this.#flows);
    this.mainFlow = total;
    this.mainHead = head;
    this.pumps.forEach((pump, index) => {
      pump.load(turning ? (this.#flows[index] ?? 0) : 0, head, this.low1, stepSeconds);
    });
  }

  #flow(): void {
    const automatic = this.high1 ? 0 : (this.#trim + 100 * (this.tank1Setpoint - this.level1)) / 100;
    const asked = this.inletAuto === 1 ? automatic : this.inletSetpoint / 100;
    this.inlet.step(Math.min(1, Math.max(0, asked)), stepSeconds);
    this.drain.step(this.drainWanted, stepSeconds);
    this.outlet.step(this.outletWanted, stepSeconds);

    const hours = stepSeconds / 3600;
    this.inletFlow = inletFullFlow * this.inlet.position;
    this.drained = drainFlow * this.drain.position * Math.sqrt(Math.max(0, this.level1));
    this.volume1 += (this.inletFlow - this.drained - this.mainFlow) * hours;
    const missing = Math.max(0, -this.volume1);
    // The last water of an empty tank: what is not there was not drained.
    this.drained -= missing / hours;
    const spilled1 = Math.max(0, this.volume1 - tank1.capacity);
    this.volume1 += missing - spilled1;
    this.overflowing = spilled1 > 0;

    const capacity = outletFullFlow * this.outlet.position * Math.sqrt(Math.max(0, this.level2) / 8);
    this.townFlow = Math.min(this.#wanted, capacity, this.volume2 / hours);
    this.volume2 += (this.mainFlow - this.townFlow) * hours;
    const spilled2 = Math.max(0, this.volume2 - tank2.capacity);
    this.volume2 -= spilled2;
    const open = this.level2 < 0.05 ? 0 : Math.min(1, this.outlet.position * 10);
    const bar = Math.max(0, (townHead + this.level2) * open - townFriction * this.townFlow ** 2) / metresABar;
    this.townBar += ((bar - this.townBar) * stepSeconds) / 5;

    this.totals.inlet += this.inletFlow * hours;
    this.totals.drained += this.drained * hours;
    this.totals.spilled1 += spilled1;
    this.totals.main += this.mainFlow * hours;
    this.totals.spilled2 += spilled2;
    this.totals.town += this.townFlow * hours;
  }

  #switch(): void {
    this.low1 = switched(this.low1, tank1.low - this.level1);
    this.high1 = switched(this.high1, this.level1 - tank1.high);
    this.low2 = switched(this.low2, tank2.low - this.level2);
    this.high2 = switched(this.high2, this.level2 - tank2.high);
  }
}

/** A float switch: closes beyond its level, opens 2 cm before it. */
function switched(closed: boolean, beyond: number): boolean {
  return beyond >= (closed ? -0.02 : 0);
}

/** The town through the hours of its day: up at half past seven, home at seven, and about 1 on average. */
export function dailyCurve(hour: number): number {
  const about = (peak: number, width: number) => {
    const away = Math.abs(hour - peak);
    return Math.exp(-0.5 * (Math.min(away, 24 - away) / width) ** 2);
  };
  return 0.6 + 0.85 * about(7.5, 1.5) + 0.35 * about(13, 2.5) + 0.75 * about(19, 2.2);
}
