// What a connector or provider is made with in a test, where the test does not say.
import { systemClock } from '@telltale/schema';
import { type ConnectorOptions, type Meter, Refused } from '../connector.ts';
import { defaultReconnectMaxMs } from '../host-variables.ts';
import { startProcess } from '../link/stack-process.ts';
import type { ProviderOptions } from '../provider.ts';
import { ServingTurns } from '../serve/serving-turns.ts';
import { written } from '../write-result.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const nobody = async () => {
  throw new Refused('nobody is there');
};
const nobodyTakes = async () => written.refused('nobody is there');

export function connectorOptions<Variables>(
  given: Partial<Omit<ConnectorOptions<Variables>, 'meter'>> & {
    readonly variables: Variables;
    readonly meter?: Partial<Meter>;
  },
): ConnectorOptions<Variables> {
  return {
    name: 'tested',
    clock: systemClock,
    log: quiet,
    folder: 'no-folder',
    reconnectMaxMs: defaultReconnectMaxMs,
    maxClockSkewMs: 60_000,
    publish: (batch) => batch.clear(),
    history: { publish: nobody, lastRecorded: async (points) => points.map(() => undefined) },
    startProcess,
    turns: new ServingTurns(systemClock),
    publishAlarms: () => {},
    mayWrite: () => true,
    ...given,
    meter: { answered: () => {}, failed: () => {}, overrun: () => {}, unread: () => {}, ...given.meter },
  };
}

export function providerOptions<Variables>(
  given: Partial<ProviderOptions<Variables>> & { readonly variables: Variables },
): ProviderOptions<Variables> {
  const { write = nobodyTakes } = given;
  return {
    name: 'tested',
    clock: systemClock,
    log: quiet,
    folder: 'no-folder',
    reconnectMaxMs: defaultReconnectMaxMs,
    meter: { served: () => {}, held: () => {}, unread: () => {} },
    turns: new ServingTurns(systemClock),
    write,
    writeMany: (writes) => Promise.all(writes.map(({ command, value }) => write(command, value))),
    acknowledge: nobodyTakes,
    signIn: nobody,
    history: { read: nobody, aggregate: nobody },
    ...given,
  };
}
