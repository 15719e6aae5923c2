// A valve of the waterworks: goes to the position that is asked of it, in its own time.

export class Valve {
  /** 0 closed to 1 open. */
  position: number;
  readonly #aSecond: number;

  constructor(position: number, travelSeconds: number) {
    this.position = position;
    this.#aSecond = 1 / travelSeconds;
  }

  step(wanted: number, seconds: number): void {
    const way = this.#aSecond * seconds;
    this.position += Math.min(way, Math.max(-way, wanted - this.position));
  }

  /** The limit switches: 0 moving, 1 closed, 2 open. */
  get state(): number {
    if (this.position <= 0.001) return 1;
    return this.position >= 0.999 ? 2 : 0;
  }
}
