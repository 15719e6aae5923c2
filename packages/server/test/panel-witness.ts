// What one provider tells its panel, held against the model: its points are those of one rendering, and each value and
// state is one that was sent to all, in that order.
import type { ToPanel } from './line-panel.ts';
import type { RenderingModel } from './rendering-model.ts';
import { liveIn, names, type Plant, servedBy } from './rendering-plant.ts';

export interface PanelCommand {
  readonly id: number;
  /** Of the measurement whose command it is. */
  readonly name: string;
  readonly datatype: string;
  /** The rendering that the id is of, where the panel can see. */
  readonly since: number | undefined;
}

export class PanelWitness {
  /** Every command that it ever had, by id. */
  readonly commands = new Map<number, PanelCommand>();
  values = 0;
  readonly #provider: number;
  readonly #model: RenderingModel;
  readonly #reported: ReadonlyMap<string, readonly string[]>;
  readonly #fault: (fault: string) => void;
  /** By name, up to where it has seen what was reported. */
  readonly #reached = new Map<string, number>();
  readonly #last = new Map<string, string>();
  #points = '';
  #version = 0;
  #alarmsVersion = 0;
  #alarms: readonly string[] = [];

  constructor(
    provider: number,
    model: RenderingModel,
    reported: ReadonlyMap<string, readonly string[]>,
    fault: (fault: string) => void,
  ) {
    this.#provider = provider;
    this.#model = model;
    this.#reported = reported;
    this.#fault = (text) => fault(`panel ${provider}: ${text}`);
  }

  hear(message: ToPanel): void {
    if (message.kind === 'points') this.#onPoints(message.points);
    else if (message.kind === 'values') for (const { name, text } of message.values) this.#onState(name, text);
    else if (message.kind === 'states') for (const { name, text } of message.states) this.#onState(name, text);
    else if (message.kind === 'alarms') this.#onAlarms(message.names);
  }

  unsettled(plant: Plant, version: number, alarmState: (alarm: string) => string): string | undefined {
    if (plant.providers[this.#provider] === undefined) return undefined;
    const points = servedBy(plant, version, this.#provider);
    if (this.#points !== points.join()) return `panel ${this.#provider} has ${this.#points}, not ${points}`;
    for (const name of points.map((point) => point.split(' ')[1] as string)) {
      const [reported, last] = [this.#reported.get(name)?.at(-1), this.#last.get(name)];
      if (reported !== last) return `panel ${this.#provider} has ${name} as ${last}, not ${reported}`;
    }
    if (this.#alarms.join() !== alarmsIn(plant, this.#provider).join())
      return `panel ${this.#provider}: ${this.#alarms}`;
    for (const alarm of this.#alarms) {
      const [state, last] = [alarmState(alarm), this.#last.get(alarm)];
      if (state !== last) return `panel ${this.#provider} has ${alarm} as ${last}, not ${state}`;
    }
    return undefined;
  }

  #onPoints(points: readonly { readonly id: number; readonly text: string }[]): void {
    const texts = points.map(({ text }) => text).sort();
    const version = this.#versions(this.#version).find((each) => this.#served(each).join() === texts.join());
    if (version === undefined) {
      const meant = this.#versions(this.#version).map((each) => `${each}: ${this.#served(each)}`);
      this.#fault(`has ${texts}, which is none of ${meant.join('; ')}`);
      return;
    }
    this.#version = version;
    this.#points = texts.join();
    for (const { id, text } of points) {
      const [kind, name = '', , datatype = ''] = text.split(' ');
      if (kind !== 'command') continue;
      const since = this.#provider === 0 ? version : undefined; // it has the mark
      const known = this.commands.get(id);
      if (known === undefined) this.commands.set(id, { id, name: name.slice(0, 2), datatype, since });
      else if (known.datatype !== datatype || !name.startsWith(known.name))
        this.#fault(`id ${id} stands for two commands`);
    }
  }

  #onAlarms(alarms: readonly string[]): void {
    this.#alarms = alarms.toSorted();
    const version = this.#versions(this.#alarmsVersion).find((each) => {
      return alarmsIn(this.#model.plants[each] as Plant, this.#provider).join() === this.#alarms.join();
    });
    this.#alarmsVersion = version ?? 0;
    if (version === undefined) this.#fault(`has the alarms ${alarms}`);
  }

  /** A state that nobody was told of is that of an alarm that has had none. */
  #onState(name: string, text: string): void {
    this.values++;
    this.#last.set(name, text);
    if (text === 'INACT_ACK 0') return;
    const reported = this.#reported.get(name) ?? [];
    const at = reported.indexOf(text, this.#reached.get(name) ?? 0);
    if (at < 0) this.#fault(`${name} is ${text}, after ${reported.slice(this.#reached.get(name) ?? 0)}`);
    else this.#reached.set(name, at);
  }

  #served(version: number): string[] {
    return servedBy(this.#model.plants[version] as Plant, version, this.#provider);
  }

  /** What it is told now may be of these. */
  #versions(from: number): number[] {
    const last = this.#model.present()[0] as number;
    return Array.from({ length: last - from + 1 }, (_, at) => from + at);
  }
}

/** Of what the provider serves. */
function alarmsIn(plant: Plant, provider: number): string[] {
  const served = names.filter((name) => liveIn(plant, name)?.served[provider] !== undefined);
  return served.filter((name) => plant.points[name]?.hasAlarm === true).map((name) => `${name}_high`);
}
