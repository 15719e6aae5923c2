// A plant around the rack, a stack that tells everything of itself: what the tests of diagnostics stand on.
import { fileURLToPath } from 'node:url';
import type { Operation } from '@telltale/schema';
import { put } from './live-plant.ts';

export const rackArgs = ['--stacks', fileURLToPath(new URL('./stacks', import.meta.url))];

const onRack = (address: string) => ({ datatype: 'd', connectorName: 'rack', address });

export const scaled = {
  rawDatatype: 'i',
  rawRangeLo: '0',
  rawRangeHi: '10000',
  euRangeLo: '0',
  euRangeHi: '100',
};

export const rackPlant: readonly Operation[] = [
  put('connectors', 'rack', { stackName: 'rack' }),
  put('connectors', 'unreachable', { stackName: 'rack', vars: { mode: 'unreachable' } }),
  put('connectors', 'fatal', { stackName: 'rack', vars: { mode: 'fatal' } }),
  put('connectors', 'watched', { stackName: 'rack', wdtMeasurement: 'alive' }),
  put('connectors', '__proto__', { stackName: 'counters' }),
  put('providers', 'panel', { stackName: 'rack' }),
  put('providers', 'closed', { stackName: 'rack' }),
  put('measurements', 'u1_level', { ...onRack('u1.level'), providerAddresses: { panel: 'u1.level' } }),
  put('measurements', 'u1_scaled', { ...onRack('u1.raw'), ...scaled, deadband: '1' }),
  put('measurements', 'u2_level', { ...onRack('u2.level'), providerAddresses: { panel: 'u2.level' } }),
  put('measurements', 'unlinked', { ...onRack('u1.level'), stackUmask: 1 + 4 }),
  put('measurements', 'lost', { datatype: 'd', connectorName: 'unreachable', address: 'u1.level' }),
  put('measurements', 'hopeless', { datatype: 'd', connectorName: 'fatal', address: 'u1.level' }),
  put('measurements', 'alive', { datatype: 'b', connectorName: 'watched', address: 'u1.alive' }),
  put('measurements', 'watched_level', { datatype: 'd', connectorName: 'watched', address: 'u1.level' }),
  put('commands', 'set_u1_level', onRack('u1.level')),
  put('commands', 'set_u1_raw', { ...onRack('u1.raw'), datatype: 'i' }),
  put('commands', 'set_u1_garbage', { ...onRack('u1.garbage'), datatype: 'i' }),
  put('commands', 'set_u2_power', { ...onRack('u2.power'), datatype: 'i' }),
  put('commands', 'set_watched_level', { datatype: 'd', connectorName: 'watched', address: 'u1.level' }),
];
