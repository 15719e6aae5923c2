// The plant of the flows: a level that people move, a valve whose device refuses or is late, and a gate behind a device that
// never answers a write.
import type { Operation } from '@telltale/schema';
import { put } from '../live-plant.ts';

const onBench = (address: string) => ({ connectorName: 'bench', address });

/** A text that must stay one. */
export const hostileText = '<img src=x onerror="document.title=1"> & <b>level</b>';

export const flowsPlant: readonly Operation[] = [
  put('connectors', 'bench', { stackName: 'simulator', vars: { scanPeriodMs: '100' } }),
  put('measurements', 'level', {
    datatype: 'd',
    description: hostileText,
    eu: 'm',
    euRangeLo: '0',
    euRangeHi: '5',
    archMode: 'change',
    properties: { precision: '2' },
    ...onBench('echo(level)'),
  }),
  put('commands', 'set_level', { datatype: 'd', ...onBench('echo(level)') }),
  put('commands', 'level_bad', { datatype: 'b', ...onBench('bad_quality(of=level, quality=12)') }),
  put('commands', 'lose_link', { datatype: 'i', ...onBench('drop_link()') }),
  put('measurements', 'door', { datatype: 'b', description: 'Door to the pumps' }),
  put('measurements', 'state', { datatype: 'q' }),
  put('alarms', 'level_high', {
    description: 'The tank is nearly full',
    severity: 1,
    archMode: 'change',
    ackMode: 'manual',
    trgMeasurement: 'level',
    trgOperator: 'gt',
    trgRefValue: '4.5',
    trgHysteresis: '0.1',
  }),
  put('commands', 'valve', {
    datatype: 'd',
    description: 'Inlet valve',
    eu: '%',
    euRangeLo: '0',
    euRangeHi: '100',
    rawRangeLo: '0',
    rawRangeHi: '100',
    properties: { precision: '1' },
    ...onBench('echo(valve)'),
  }),
  put('commands', 'valve_refuses', { datatype: 'b', ...onBench('refuse_write(of=valve, reason="interlock open")') }),
  put('commands', 'valve_is_late', { datatype: 'b', ...onBench('slow_write(of=valve, delay=60)') }),
  put('commands', 'drain', { datatype: 'b', description: 'Drain', properties: { confirm: 'reason' } }),
];

/** A gate at the register 100 of a device of Modbus TCP. */
export const gatePlant = (port: number): readonly Operation[] => [
  put('connectors', 'plc', {
    stackName: 'modbus',
    vars: { host: '127.0.0.1', port: String(port), scanPeriodMs: '200' },
  }),
  put('measurements', 'gate_position', { datatype: 'i', connectorName: 'plc', address: 'hr10' }),
  put('commands', 'gate', { datatype: 'i', connectorName: 'plc', address: 'hr100' }),
];
