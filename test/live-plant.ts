// The plant of the live-data tests: points without a device, points of the simulator that faults can strike, and alarms.
// Nothing in it moves by itself but the counter.
import type { Operation } from '@telltale/schema';

export function put(family: Operation['family'], name: string, fields: Record<string, unknown> = {}): Operation {
  return { operation: 'put', family, name, object: { name, ...fields } } as Operation;
}

/** How long a device has to answer; the server is started with it. */
export const writeTimeoutMs = 1500;
export const liveArgs = ['--write-timeout', String(writeTimeoutMs)];

/** Names that mean something to JavaScript, and nothing here. */
export const oddNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

const scan = { scanPeriodMs: '20' };
const onDevice = (address: string) => ({ connectorName: 'device', address });
const scaled = {
  datatype: 'd',
  rawDatatype: 'i',
  rawRangeLo: '0',
  rawRangeHi: '10000',
  euRangeLo: '0',
  euRangeHi: '100',
};

export const livePlant: readonly Operation[] = [
  put('connectors', 'device', { stackName: 'simulator', vars: scan }),
  put('connectors', 'weak', { stackName: 'simulator', vars: scan, wdtMeasurement: 'weak_link' }),

  ...['b', 'q', 'i', 'l', 'f', 'd', 's'].map((datatype) => put('measurements', `zero_${datatype}`, { datatype })),
  ...oddNames.map((name) => put('measurements', name, { datatype: 'i' })),
  put('measurements', 'level', {
    datatype: 'd',
    description: 'Füllstand "1" \u2028',
    euRangeLo: '0',
    euRangeHi: '80.5',
  }),
  put('measurements', 'hidden', { datatype: 'd', enabled: false }),
  put('measurements', 'counter', { datatype: 'i', ...onDevice('counter(period=0.02)') }),
  put('measurements', 'scaled', { ...scaled, ...onDevice('echo(scaled)') }),
  put('measurements', 'unscaled', { datatype: 'i', ...onDevice('echo(scaled)') }),
  put('measurements', 'long', { datatype: 'l', ...onDevice('echo(long)') }),
  put('measurements', 'text', { datatype: 's', ...onDevice('echo(text)') }),
  put('measurements', 'weak_link', { datatype: 'b' }),
  put('measurements', 'weak_value', { datatype: 'd', connectorName: 'weak', address: 'echo(weak)' }),

  put('commands', 'local', { datatype: 'd', description: 'Sollwert' }),
  put('commands', 'initial', { datatype: 'd', initialValue: '5.5' }),
  ...oddNames.map((name) => put('commands', name, { datatype: 'i' })),
  ...['b', 'q', 'i', 'l', 'f', 'd', 's'].map((datatype) => put('commands', `own_${datatype}`, { datatype })),
  put('commands', 'hidden', { datatype: 'd', enabled: false }),
  put('commands', 'set_scaled', { ...scaled, ...onDevice('echo(scaled)') }),
  put('commands', 'set_unlimited', { ...scaled, ...onDevice('echo(scaled)'), stackUmask: 32 }),
  put('commands', 'set_without_limits', { ...scaled, ...onDevice('echo(scaled)'), stackUmask: 16 + 32 }),
  put('commands', 'set_unscaled', { ...scaled, ...onDevice('echo(scaled)'), stackUmask: 2 }),
  put('commands', 'set_narrow', {
    datatype: 'd',
    rawDatatype: 'i',
    rawRangeHi: '7',
    euRangeHi: '9',
    ...onDevice('echo(narrow)'),
  }),
  put('commands', 'set_long', { datatype: 'l', ...onDevice('echo(long)') }),
  put('commands', 'set_text', { datatype: 's', ...onDevice('echo(text)') }),
  put('commands', 'refuse', { datatype: 'b', ...onDevice('refuse_write(of=set_scaled, reason="interlock open")') }),
  put('commands', 'slow', { datatype: 'b', ...onDevice('slow_write(of=set_scaled, delay=60)') }),
  put('commands', 'set_weak', { datatype: 'd', connectorName: 'weak', address: 'echo(weak)' }),
  put('commands', 'drop', { datatype: 'd', connectorName: 'weak', address: 'drop_link()' }),

  put('alarms', 'manual', { severity: 3, description: 'By hand' }),
  put('alarms', 'automatic', { severity: 0, ackMode: 'auto' }),
  put('alarms', 'hidden', { severity: 1, enabled: false }),
  ...oddNames.map((name) => put('alarms', name, { severity: 1 })),
  put('alarms', 'high', trigger('gt', '80', { trgHysteresis: '5' })),
  put('alarms', 'late_on', trigger('gt', '90', { properties: { onDelay: '60000' } })),
  put('alarms', 'soon_on', trigger('gt', '90', { properties: { onDelay: '50' } })),
  put('alarms', 'late_off', trigger('gt', '90', { properties: { offDelay: '60000' } })),
  put('alarms', 'soon_off', trigger('gt', '90', { properties: { offDelay: '50' } })),
];

function trigger(operator: string, reference: string, more: Record<string, unknown>): Record<string, unknown> {
  return { severity: 1, trgMeasurement: 'level', trgOperator: operator, trgRefValue: reference, ...more };
}
