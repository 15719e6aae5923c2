// Random differences between one plant of the traffic test and the next.
import type { SeededRandom } from './seeded-random.ts';
import {
  type AlarmDefinition,
  type ConnectorName,
  engineeringUnder,
  factors,
  isWritable,
  names,
  type Plant,
  type PointDefinition,
  placesOfDevice,
} from './traffic-plant.ts';

const datatypes = ['d', 'i', 'l', 'f'] as const;
const operators = ['gt', 'le', 'eq', 'ne'] as const;

const weights = {
  address: 4,
  scaling: 3,
  datatype: 3,
  connector: 3,
  range: 1,
  limit: 2,
  scalingAndLimit: 4,
  served: 1,
  deletion: 2,
  alarmDeletion: 1,
  command: 2,
  commandMoved: 6,
  swap: 2,
  variables: 1,
  restart: 1,
  everything: 2,
};

export class Differences {
  readonly #random: SeededRandom;
  readonly #connectors: readonly [ConnectorName, ...ConnectorName[]];
  /** How often there was one of a kind. */
  readonly counts = new Map<string, number>();

  constructor(random: SeededRandom, connectors: readonly [ConnectorName, ...ConnectorName[]]) {
    this.#random = random;
    this.#connectors = connectors;
  }

  first(): Plant {
    const connectors = Object.fromEntries(this.#connectors.map((name) => [name, { variant: 0 as const, mark: 0 }]));
    let plant: Plant = { connectors, measurements: {}, commands: {}, alarms: {}, fillers: 0 };
    for (const name of names) plant = this.#anew(plant, name);
    return plant;
  }

  /** One to four changes; what was deleted comes back with the next that strikes its name. */
  next(before: Plant): Plant {
    let plant = before;
    for (let left = this.#random.between(1, 4); left > 0; left--) plant = this.#change(plant);
    const isFilled = this.#random.chance(0.6);
    return isFilled ? { ...plant, fillers: (before.fillers ?? 0) + 1 } : plant;
  }

  #change(plant: Plant): Plant {
    const name = this.#random.pick(names as [string, ...string[]]);
    const measurement = plant.measurements[name];
    if (measurement === undefined || plant.commands[name] === undefined)
      return this.#counted('creation', this.#anew(plant, name));
    const kind = this.#random.weighted(weights);
    const move = (more: Partial<PointDefinition>) => this.#withMeasurement(plant, name, { ...measurement, ...more });
    return this.#counted(kind, this.#changes(plant, name, measurement, move)[kind]());
  }

  #changes(plant: Plant, name: string, measurement: PointDefinition, move: (more: Partial<PointDefinition>) => Plant) {
    const random = this.#random;
    return {
      address: () => move({ place: random.between(0, placesOfDevice - 1) }),
      scaling: () => move({ factor: random.pick(factors) }),
      datatype: () => move({ datatype: random.pick(datatypes) }),
      connector: () => move({ connector: random.pick(this.#connectors) }),
      range: () => move({ span: measurement.span === 1 ? 2 : 1 }),
      served: () => move({ slot: measurement.slot + 1 }),
      limit: () => this.#withAlarm(plant, name),
      scalingAndLimit: () => this.#withAlarm(move({ factor: random.pick(factors) }), name),
      deletion: () => without(plant, name),
      alarmDeletion: () => ({ ...plant, alarms: { ...plant.alarms, [name]: undefined } }),
      command: () => ({ ...plant, commands: { ...plant.commands, [name]: this.#command() } }),
      commandMoved: () => this.#moveCommand(plant, name),
      swap: () => this.#swap(plant, name),
      variables: () => this.#connector(plant, true),
      restart: () => this.#connector(plant, false),
      everything: () => this.#anew(plant, name),
    };
  }

  #counted(kind: string, plant: Plant): Plant {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return plant;
  }

  #anew(plant: Plant, name: string): Plant {
    const withPoint = this.#withMeasurement(
      plant,
      name,
      this.#definition(() => true),
    );
    return this.#withAlarm({ ...withPoint, commands: { ...plant.commands, [name]: this.#command() } }, name);
  }

  /** A single cannot hold all the values that are written. */
  #command(): PointDefinition {
    return { ...this.#definition(isWritable), datatype: this.#random.pick(['d', 'i', 'l']) };
  }

  #definition(isFit: (connector: ConnectorName) => boolean): PointDefinition {
    const random = this.#random;
    const connectors = this.#connectors.filter(isFit) as [ConnectorName, ...ConnectorName[]];
    return {
      connector: random.pick(connectors),
      place: random.between(0, placesOfDevice - 1),
      datatype: random.pick(datatypes),
      factor: random.pick(factors),
      span: random.pick([1, 2]),
      slot: 0,
    };
  }

  #withMeasurement(plant: Plant, name: string, definition: PointDefinition): Plant {
    return { ...plant, measurements: { ...plant.measurements, [name]: definition } };
  }

  /** A limit near the value or at it: it decides. */
  #withAlarm(plant: Plant, name: string): Plant {
    const definition = plant.measurements[name];
    if (definition === undefined) return plant;
    const value = engineeringUnder(plant, definition);
    const limit = Math.round(value * this.#random.pick([0.5, 0.9, 1, 1, 1.1, 2, 20]));
    const alarm: AlarmDefinition = { operator: this.#random.pick(operators), limit };
    return { ...plant, alarms: { ...plant.alarms, [name]: alarm } };
  }

  /** To another place of its device, with another scale. */
  #moveCommand(plant: Plant, name: string): Plant {
    const command = plant.commands[name];
    if (command === undefined) return plant;
    const { place, factor } = this.#command();
    return { ...plant, commands: { ...plant.commands, [name]: { ...command, place, factor } } };
  }

  /** Two points have each other's places. */
  #swap(plant: Plant, name: string): Plant {
    const other = this.#random.pick(names as [string, ...string[]]);
    const { measurements, commands } = plant;
    if (measurements[other] === undefined || commands[other] === undefined) return plant;
    return {
      ...plant,
      measurements: { ...measurements, [name]: measurements[other], [other]: measurements[name] },
      commands: { ...commands, [name]: commands[other], [other]: commands[name] },
    };
  }

  #connector(plant: Plant, isOther: boolean): Plant {
    const name = this.#random.pick(this.#connectors);
    const { variant, mark } = plant.connectors[name] ?? { variant: 0, mark: 0 };
    const definition = isOther
      ? { variant: variant === 0 ? (1 as const) : (0 as const), mark }
      : { variant, mark: mark + 1 };
    return { ...plant, connectors: { ...plant.connectors, [name]: definition } };
  }
}

function without(plant: Plant, name: string): Plant {
  const { measurements, commands, alarms } = plant;
  return {
    ...plant,
    measurements: { ...measurements, [name]: undefined },
    commands: { ...commands, [name]: undefined },
    alarms: { ...alarms, [name]: undefined },
  };
}
