// The connector of the simulator as it is declared: its variables, and the addresses of its points. A stack that adds a
// model to the simulator declares its connector with this as well.
import { type Point, type PointKind, Type } from '@telltale/stack-kit';
import { addressRegex } from './address.ts';
import { addressDoc } from './address-doc.ts';
import { checkAddress } from './check-address.ts';
import type { ModelDeclaration } from './model.ts';

export const bus = Type.String({
  title: 'Name of the bus',
  description: 'Simulator connectors and providers with the same name here share a bus in the memory of the server.',
  default: 'loopback',
  pattern: '^[_a-zA-Z0-9]{1,64}$',
  form: '1 to 64 characters of 0-9, a-z, A-Z and _',
});

const variables = Type.Object({
  scanPeriodMs: Type.Integer({
    title: 'Milliseconds between scans',
    unit: 'ms',
    description: 'Every measurement gets a new value in each scan.',
    default: 500,
    minimum: 10,
    maximum: 60_000,
  }),
  speed: Type.Number({
    title: 'Simulated seconds per second',
    description: 'Functions and models run this much faster; delays and faults do not.',
    default: 1,
    minimum: 0.01,
    maximum: 1000,
  }),
  seed: Type.Integer({
    title: 'Seed of random values',
    description: 'With the same seed, a measurement of the same name has the same random walk.',
    default: 1,
    minimum: 0,
    maximum: 2 ** 32 - 1,
  }),
  bus,
});

const examples = {
  measurement: [
    { address: 'sine(low=4, high=20, period=60)', meaning: 'a sine wave between 4 and 20 with a period of a minute' },
    { address: 'ramp(high=50, period=60, fall=30)', meaning: 'from 0 to 50 in 30 s, and back in 30 s' },
    { address: 'square(period=10, duty=0.2)', meaning: '1 for 2 seconds, 0 for 8' },
    { address: 'walk(low=6.5, high=8.5, step=0.05)', meaning: 'a pH that drifts at random' },
    { address: 'counter(period=0.5)', meaning: 'two counts a second' },
    { address: 'text(words="stopped|starting|running", period=5)', meaning: 'three texts in turn' },
    { address: 'echo(valve.position, delay=3)', meaning: 'what was written to echo(valve.position), 3 s later' },
    { address: 'bus(tank1.level)', meaning: 'what a provider on the same bus serves at tank1.level' },
    { address: 'bad_quality(of=tank1_level)', meaning: '1 while that fault of tank1_level is active' },
  ],
  command: [
    { address: 'echo(valve.position)', meaning: 'shown by measurements of the same tag' },
    { address: 'bus(chlorine.setpoint)', meaning: 'writes the command that a provider serves at chlorine.setpoint' },
    { address: 'drop_link()', meaning: '10 written: the link is lost for 10 seconds' },
    { address: 'bad_quality(of=tank1_level, quality=80)', meaning: 'makes the quality of tank1_level uncertain' },
    { address: 'freeze(of=tank1_level)', meaning: 'freezes tank1_level' },
    { address: 'slow_write(delay=20)', meaning: 'delays the answer to every write of the connector by 20 seconds' },
    { address: 'refuse_write(of=pump1_start, reason="interlock open")', meaning: 'refuses to start the pump' },
  ],
};

export function connectorRole<Load>(load: Load, model?: ModelDeclaration) {
  const syntax = (kind: PointKind) => ({
    regex: addressRegex,
    doc: addressDoc(kind, model),
    examples: [...(model?.examples[kind] ?? []), ...examples[kind]],
    check: (address: string, point: Point) => checkAddress(kind, address, point, model),
  });
  return { load, variables, measurement: syntax('measurement'), command: syntax('command') };
}
