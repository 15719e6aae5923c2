// Plays a plant for the model of renderings: renders, and meanwhile tells values, writes, simulates and acknowledges,
// with a look at everything in each turn of the event loop.
import assert from 'node:assert/strict';
import { LineDevice } from './line-device.ts';
import { LinePanel } from './line-panel.ts';
import { type Asked, commandIn } from './rendering-model.ts';
import { aliveAddress, emptyPlant, liveIn, names, objectsOf, type Plant, valuesOf } from './rendering-plant.ts';
import { RenderingWitness } from './rendering-witness.ts';
import { problemText, RuntimeBench } from './runtime-bench.ts';

export interface Step {
  readonly plant: Plant;
  readonly next: 'settle' | 'run' | 'at once' | 'fail';
  readonly seed: number;
}

/** Longer than anything takes that comes at all. */
const patienceMs = 120_000;

const actsATurn = 6;

export class RenderingPlay implements AsyncDisposable {
  readonly #bench: RuntimeBench;
  readonly #devices: readonly LineDevice[];
  readonly #panels: LinePanel[] = [];
  readonly #witness: RenderingWitness;
  readonly #seen: Record<string, number>;
  readonly #asked = new Set<Promise<void>>();
  readonly #renderings = new Set<Promise<void>>();
  /** While the disk answers nothing: what is asked is answered when another rendering runs. */
  #resumeDisk: (() => void) | undefined;
  #random = 0;
  #numbers = 0;

  /** Counts in `seen` what has happened. */
  static async start(seen: Record<string, number>): Promise<RenderingPlay> {
    const devices: LineDevice[] = [];
    for (const device of [0, 1] as const) devices.push(await LineDevice.start(valuesOf(device), () => undefined));
    const play = new RenderingPlay(await RuntimeBench.start(), devices, seen);
    for (const witness of play.#witness.panels) {
      play.#panels.push(await LinePanel.start((message) => witness.hear(message)));
    }
    // The first one takes effect bit by bit: nothing ran before.
    await play.#bench.render(objectsOf(emptyPlant, 0, [''], []));
    return play;
  }

  private constructor(bench: RuntimeBench, devices: readonly LineDevice[], seen: Record<string, number>) {
    this.#bench = bench;
    this.#devices = devices;
    this.#witness = new RenderingWitness(bench, devices);
    this.#seen = seen;
  }

  async render({ plant, next, seed }: Step): Promise<void> {
    const { model } = this.#witness;
    this.#random = seed;
    const objects = (version: number) =>
      objectsOf(
        plant,
        version,
        this.#devices.map(({ port }) => port),
        this.#panels.map(({ port }) => port),
      );
    if (next === 'fail') {
      await this.#during(assert.rejects(this.#bench.renderDamaged(objects(model.plants.length)), SyntaxError));
      this.#count('failed');
      return;
    }
    const rendering = this.#bench.render(objects(model.plants.length));
    model.plants.push(plant);
    this.#renderings.add(rendering);
    rendering.then(
      () => this.#renderings.delete(rendering),
      () => undefined,
    );
    if (next === 'at once') return;
    await this.#during(Promise.all(this.#renderings));
    if (next === 'settle') await this.settle();
  }

  /** Nothing more is asked: everything comes to be as the newest rendering has it. */
  async settle(): Promise<void> {
    await this.#during(Promise.all(this.#renderings));
    for (const device of this.#devices) device.values.set(aliveAddress, 1);
    if (this.#resumeDisk !== undefined) this.#turnDisk();
    const untilMs = performance.now() + patienceMs;
    let left: string | undefined = 'asked';
    while (left !== undefined) {
      this.#sendAll();
      this.#witness.look();
      await new Promise((resolve) => setTimeout(resolve, 2));
      left = this.#asked.size > 0 ? `${this.#asked.size} are not answered` : this.#witness.unsettled();
      if (left === undefined || performance.now() < untilMs) continue;
      const links = this.#bench.host.status().map(({ name, state, lastError }) => `${name} ${state} ${lastError}`);
      assert.fail(`it does not settle: ${left}; ${links.join(', ')}`);
    }
    this.#witness.settle();
    this.#count('settled');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#resumeDisk?.();
    await this.#bench.close();
    for (const each of [...this.#devices, ...this.#panels]) await each.close();
  }

  /** Keeps everybody busy meanwhile. */
  async #during(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const watched = work.finally(() => {
      isOver = true;
    });
    watched.catch(() => undefined);
    while (!isOver) {
      this.#witness.look();
      for (let act = 0; act < actsATurn; act++) this.#act();
      await new Promise((resolve) => setImmediate(resolve));
      this.#count('turns');
    }
    await watched;
    this.#witness.look();
  }

  /** Of so many, one. */
  #pick(count: number): number {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#random / 2 ** 32) * count);
  }

  #act(): void {
    const name = names[this.#pick(names.length)] as string;
    const act = this.#pick(16);
    if (act < 5) this.#write(name);
    else if (act < 8) this.#writeThrough(this.#pick(2));
    else if (act < 10) this.#simulate(name, act === 8 ? undefined : 0.005);
    else if (act < 12) this.#stop(name);
    else if (act === 12) this.#devices[this.#pick(2)]?.values.set(aliveAddress, this.#pick(2));
    else if (act === 13) this.#acknowledge(name);
    else if (act === 14) this.#turnDisk();
    else this.#sendAll();
  }

  #turnDisk(): void {
    const resume = this.#resumeDisk;
    this.#resumeDisk = resume === undefined ? this.#bench.disk.stall() : undefined;
    resume?.();
  }

  #sendAll(): void {
    for (const device of this.#devices) for (const [address, value] of device.values) device.send(address, value);
  }

  /** One that no other has, and that no other becomes when it is scaled. */
  #number(): number {
    return 10 * ++this.#numbers + 1;
  }

  #write(name: string): void {
    const definition = commandIn(this.#present(), name);
    if (definition === undefined) return;
    const value = `${definition.datatype}${this.#number()}`;
    const asked = this.#witness.model.ask({ kind: 'write', name, value });
    this.#follow(asked, problemText(this.#bench.commands.write(`${name}_set`, value)));
  }

  /** Under an id that the provider's client has, or had. */
  #writeThrough(provider: number): void {
    const known = [...(this.#witness.panels[provider]?.commands.values() ?? [])];
    const command = known[Math.max(0, known.length - 1 - this.#pick(6))];
    if (command === undefined) return;
    const value = `${command.datatype}${this.#number()}`;
    const through = { provider, since: command.since };
    const asked = this.#witness.model.ask({ kind: 'write', name: command.name, value, through });
    const answer = this.#panels[provider]?.ask({ id: command.id, value }) ?? Promise.resolve('unknown');
    this.#follow(
      asked,
      answer.then((outcome) => (outcome === 'done' ? 'none' : outcome)),
    );
  }

  #simulate(name: string, validForS: number | undefined): void {
    const definition = liveIn(this.#present(), name);
    if (definition === undefined) return;
    const number = this.#number();
    // Below all limits, between them, and above.
    const value = `${definition.datatype}${[-number, 30 + number, 100_000 + number][this.#pick(3)]}`;
    const asked = this.#witness.model.ask({ kind: validForS === undefined ? 'simulate' : 'expire', name, value });
    const request = { value, quality: undefined, validForS, by: 'model' };
    this.#follow(asked, problemText(this.#bench.measurements.simulate(name, request)));
  }

  #stop(name: string): void {
    const asked = this.#witness.model.ask({ kind: 'stop', name, value: '' });
    this.#follow(asked, problemText(this.#bench.measurements.stopSimulation(name)));
  }

  #acknowledge(name: string): void {
    const alarm = `${name}_high`;
    const panel = this.#panels[this.#pick(2)];
    const answer =
      this.#pick(2) === 0
        ? panel?.ask({ alarm })
        : problemText(this.#bench.alarms.operate(alarm, 'acknowledge', 'model'));
    this.#await(Promise.resolve(answer));
  }

  #present(): Plant {
    const { model } = this.#witness;
    return model.plants[model.version] as Plant;
  }

  #follow(asked: Asked, answer: Promise<string>): void {
    this.#await(
      answer.then((outcome) => {
        this.#witness.model.answered(asked, outcome);
        this.#count(`${asked.kind}${asked.through ? ' through' : ''}: ${outcome.replace(/:.*| .*/, '')}`);
      }),
    );
  }

  #await(work: Promise<unknown>): void {
    const awaited = work.then(() => void this.#asked.delete(awaited));
    this.#asked.add(awaited);
  }

  #count(what: string): void {
    this.#seen[what] = (this.#seen[what] ?? 0) + 1;
  }
}
