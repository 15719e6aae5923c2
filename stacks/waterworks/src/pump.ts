// A pump of the waterworks with its drive, motor and bearing: how it starts and stops, what it draws, what trips it.

export type Trip = 'overload' | 'dry running' | 'hot bearing';

const startSeconds = 10;
const stopSeconds = 8;
const coastSeconds = 4;
const ratedAmperes = 70;
/** Of square overcurrent, as a motor protection relay counts it: 10 % too much trips in a minute. */
const overloadSeconds = 12.6;
const dryRunningSeconds = 2;
const bearingTripCelsius = 85;
const bearingResetCelsius = 70;
const bearingSeconds = 600;
const amperesAKilowatt = 1 / 0.753;
const room = 18;

export class Pump {
  // What an operator sets.
  auto: number;
  start = 0;
  speedSetpoint = 8000;

  /** 0 to 1. */
  speed = 0;
  /** m³/h. */
  flow = 0;
  amperes = 0;
  kilowatts = 0;
  bearingCelsius = room + 4;
  hours = 0;
  trip: Trip | undefined;
  #state: 'stopped' | 'starting' | 'running' | 'stopping' = 'stopped';
  #overload = 0;
  #drySeconds = 0;

  constructor(auto: number) {
    this.auto = auto;
  }

  get state(): string {
    return this.trip === undefined ? this.#state : 'tripped';
  }

  get running(): boolean {
    return this.speed > 0.005;
  }

  /** Whether the level control may count on it. */
  get available(): boolean {
    return this.auto === 1 && this.trip === undefined;
  }

  reset(dry: boolean): void {
    if (this.trip === 'overload' && this.#overload > overloadSeconds / 2) return;
    if (this.trip === 'dry running' && dry) return;
    if (this.trip === 'hot bearing' && this.bearingCelsius > bearingResetCelsius) return;
    this.trip = undefined;
  }

  /** The drive, before the water: `wanted` by the level control, where that runs the pump. */
  drive(wanted: boolean, seconds: number): void {
    const on = this.trip === undefined && (this.auto === 1 ? wanted : this.start === 1);
    const target = on ? this.speedSetpoint / 10_000 : 0;
    const stopping = this.trip === undefined ? stopSeconds : coastSeconds;
    const change = target - this.speed;
    this.speed += Math.min(seconds / startSeconds, Math.max(-seconds / stopping, change));
    if (!on) this.#state = this.running ? 'stopping' : 'stopped';
    else if (this.#state !== 'running') this.#state = Math.abs(change) < 0.01 ? 'running' : 'starting';
  }

  /** What the water makes of it: flow in m³/h against a head in m; `dry` where there is none to suck. */
  load(flow: number, head: number, dry: boolean, seconds: number): void {
    this.flow = flow;
    const hydraulic = (flow / 3600) * head * 9.81;
    this.kilowatts = 3 * this.speed ** 3 + hydraulic / 0.78;
    this.amperes = this.running ? 6 * this.speed + this.kilowatts * amperesAKilowatt * 0.94 : 0;
    if (this.running) this.hours += seconds / 3600;
    // Water carries the heat away: a pump that turns and moves none gets hot.
    const heat = this.running ? 22 * this.speed + 18 * this.speed ** 3 + (flow < 5 ? 70 : 0) : 4;
    this.bearingCelsius += ((room + heat - this.bearingCelsius) * seconds) / bearingSeconds;
    this.#protect(dry, seconds);
  }

  #protect(dry: boolean, seconds: number): void {
    const excess = (this.amperes / ratedAmperes) ** 2 - 1;
    this.#overload = Math.max(0, this.#overload + (excess > 0 ? excess : -0.05) * seconds);
    this.#drySeconds = dry && this.running ? this.#drySeconds + seconds : 0;
    if (this.trip !== undefined) return;
    if (this.#overload >= overloadSeconds) this.trip = 'overload';
    else if (this.#drySeconds >= dryRunningSeconds) this.trip = 'dry running';
    else if (this.bearingCelsius >= bearingTripCelsius) this.trip = 'hot bearing';
  }
}
