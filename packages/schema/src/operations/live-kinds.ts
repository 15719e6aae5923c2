// The kinds of live objects, as operations and watches of them name them.
import type { Resource, WatchKind } from './operation.ts';

export interface LiveKind<Field extends WatchKind = WatchKind> {
  readonly tag: string;
  readonly resource: Resource;
  /** Of channel messages: the one that has the objects, or their names. */
  readonly field: Field;
  readonly one: string;
}

export const measurements = {
  tag: 'Measurements',
  resource: 'measurements',
  field: 'measurements',
  one: 'measurement',
} as const;
export const commands = { tag: 'Commands', resource: 'commands', field: 'commands', one: 'command' } as const;
export const alarms = { tag: 'Alarms', resource: 'alarms', field: 'alarms', one: 'alarm' } as const;
export const connectors = { tag: 'Connectors', resource: 'connectors', field: 'connectors', one: 'connector' } as const;
export const providers = { tag: 'Providers', resource: 'providers', field: 'providers', one: 'provider' } as const;
export const modules = {
  tag: 'Function modules',
  resource: 'function-modules',
  field: 'function_modules',
  one: 'function module',
} as const;
