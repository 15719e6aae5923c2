// The chlorine of the waterworks: the dosing pump and its day tank, what mixes in tank 2, and the analyser, which tells
// of it a minute late.

const analyserSeconds = 60;
/** Of the dosing pump at 100 %, and of the day tank: 300 g/h out of 100 L of 100 g/L. */
const fullGramsAnHour = 300;
const tankGrams = 10_000;
const decayAnHour = 0.05;
/** In automatic, for each mg/L too little, and for that in the course of so many hours. */
const gain = 2;
const integralHours = 4;
const mostMilligrams = 3;

export class Dosing {
  // What an operator sets.
  auto = 1;
  setpoint = 0.4;
  rateSetpoint = 30;

  /** %. */
  rate = 0;
  /** % of the day tank. */
  tankLevel = 80;
  /** mg/L in tank 2. */
  chlorine = 0.4;
  #trim = 0;
  /** One sample a second, the oldest at `#sample`. */
  readonly #sampled = new Float64Array(analyserSeconds).fill(0.4);
  #sample = 0;

  refill(): void {
    this.tankLevel = 100;
  }

  /** What the analyser shows, in mg/L. */
  get analysed(): number {
    return this.#sampled[this.#sample] ?? 0;
  }

  get running(): boolean {
    return this.rate > 0;
  }

  /** One second, with this flow of the rising main in m³/h into a tank of this volume in m³. */
  step(flow: number, volume: number): void {
    const hours = 1 / 3600;
    // Without flow, what is dosed would stay in the pipe.
    this.rate = flow < 5 || this.tankLevel <= 0 ? 0 : this.auto === 1 ? this.#control(flow, hours) : this.rateSetpoint;
    const grams = (this.rate / 100) * fullGramsAnHour * hours;
    this.tankLevel = Math.max(0, this.tankLevel - (grams / tankGrams) * 100);
    // The day tank is looked after: the alarm comes first, then somebody who fills it.
    if (this.tankLevel < 5) this.refill();
    const held = Math.max(volume, 1);
    const mixed = (flow * hours) / held;
    this.chlorine += grams / held - this.chlorine * (mixed + decayAnHour * hours);
    this.#sampled[this.#sample] = this.chlorine;
    this.#sample = (this.#sample + 1) % analyserSeconds;
  }

  #control(flow: number, hours: number): number {
    const missing = this.setpoint - this.analysed;
    this.#trim = Math.min(1, Math.max(-1, this.#trim + (gain * missing * hours) / integralHours));
    const milligrams = Math.min(mostMilligrams, Math.max(0, this.setpoint * 1.1 + gain * missing + this.#trim));
    return Math.min(100, ((milligrams * flow) / fullGramsAnHour) * 100);
  }
}
