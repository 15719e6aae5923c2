// What the shared suite needs to know: devices of pymodbus over TCP, with and without the frames of serial lines, and a
// bare client of the provider.
import type { Value } from '@telltale/schema';
import type { ConnectorWorld, ProviderWorld, TestClient, TestDevice } from '@telltale/stack-kit/testing';
import { type Address, type Area, parseAddress } from '../src/address.ts';
import stack from '../src/stack.ts';
import { missingPymodbus, PymodbusDevice } from './pymodbus-device.ts';
import { RawClient } from './raw-client.ts';

/** What lies in registers, made apart from the codec of the stack; a coil is one number. */
function toRegisters({ layout }: Address, value: Value): number[] {
  const view = new DataView(new ArrayBuffer(4));
  if (layout?.type === 'float32') view.setFloat32(0, Number(value));
  else view.setInt16(0, Number(value));
  return layout?.type === 'float32' ? [view.getUint16(0), view.getUint16(2)] : [view.getUint16(0)];
}

function fromRegisters({ layout }: Address, registers: readonly number[]): Value {
  const view = new DataView(new ArrayBuffer(4));
  for (const [at, register] of registers.entries()) view.setUint16(2 * at, register);
  if (layout === undefined) return registers[0] === 1;
  return layout.type === 'float32' ? view.getFloat32(0) : view.getInt16(0);
}

function addressOf(text: string): Address {
  const { address, fault } = parseAddress(text);
  if (address === undefined) throw new Error(fault);
  return address;
}

/** With `tls`, `env` names the files. */
export async function startDevice(
  kind: 'tcp' | 'tls' | 'rtu-tcp' | 'serial',
  env: Readonly<Record<string, string>> = {},
): Promise<TestDevice & { path: string }> {
  const device = await PymodbusDevice.start(kind, [1, 2], env);
  return {
    port: device.port,
    path: device.path,
    set: (text, value) => {
      const address = addressOf(text);
      return device.set(address.area, address.start, toRegisters(address, value), address.unit);
    },
    get: async (text) => {
      const address = addressOf(text);
      return fromRegisters(address, await device.get(address.area, address.start, address.length, address.unit));
    },
    stop: () => device.stop(),
  };
}

export const tcpWorld: ConnectorWorld = {
  stack,
  skip: missingPymodbus(),
  transport: 'tcp',
  recognisesGarbling: false,
  startDevice: () => startDevice('tcp'),
  variables: ({ host, port }) => ({ host, port: String(port), scanPeriodMs: '20', timeoutMs: '300' }),
  badVariables: [{ port: '0' }, { host: '' }, { transport: 'telex' }, { unit: '256' }, { transport: 'serial' }],
  measurements: [
    { address: 'hr0:int16', datatype: 'i', values: [-11, 12, 13] },
    { address: 'hr1:float32', datatype: 'd', values: [1.5, 2.5, 3.5] },
    { address: 'ir40:int16', datatype: 'i', values: [21, 22, 23] },
    { address: '2/hr0:int16', datatype: 'i', values: [31, 32, 33] },
    { address: 'co3', datatype: 'b', values: [true, false] },
  ],
  commands: [
    { address: 'hr100:int16', datatype: 'i', values: [101, 102, 103] },
    { address: 'hr110:float32', datatype: 'd', values: [104.5, 105.5, 106.5] },
    { address: 'co100', datatype: 'b', values: [true, false] },
  ],
  refused: { address: 'hr60000', datatype: 'i', value: 7 },
  unknown: { address: 'hr60000', datatype: 'i' },
};

export const rtuWorld: ConnectorWorld = {
  ...tcpWorld,
  recognisesGarbling: true,
  startDevice: () => startDevice('rtu-tcp'),
  // Its line needs silence between requests: with a longer period there is time in which nothing is under way.
  variables: (endpoint) => ({ ...tcpWorld.variables(endpoint), transport: 'rtu-tcp', scanPeriodMs: '100' }),
};

/** Where the last device of a serial line is: no port leads there. */
const serialLine = { path: '' };

export const serialWorld: ConnectorWorld = {
  ...rtuWorld,
  transport: 'none',
  startDevice: async () => {
    const device = await startDevice('serial');
    serialLine.path = device.path;
    return device;
  },
  variables: () => ({
    transport: 'serial',
    path: serialLine.path,
    baudRate: '115200',
    parity: 'none',
    scanPeriodMs: '100',
    timeoutMs: '300',
  }),
  badVariables: [{ path: '' }, { baudRate: '0' }, { parity: 'mark' }, { unit: '0' }, { pipelining: '2' }],
};

const readCodes: Readonly<Record<Area, string>> = { co: '01', di: '02', hr: '03', ir: '04' };
const hex = (number: number) => number.toString(16).padStart(4, '0');

export const providerWorld: ProviderWorld = {
  stack,
  transport: 'tcp',
  variables: ({ host, port }) => ({ host, port: String(port) }),
  badVariables: [{ host: '0.0.0.0' }, { port: '0' }, { allowedClients: 'nobody' }, { badQuality: 'maybe' }],
  greedy: Buffer.from('000100000006010400000001', 'hex'),
  writesFail: { refused: /exception 9004/, notSent: /exception 900a/, unknown: /exception 900b/ },
  connectClient: async ({ port }) => clientOver(await RawClient.connect(port)),
  measurements: [
    { address: 'ir0:int16', datatype: 'i', values: [-11, 12, 13] },
    { address: 'ir10:float32', datatype: 'f', values: [1.5, 2.5, 3.5] },
    { address: 'di3', datatype: 'b', values: [true, false] },
  ],
  commands: [
    { address: 'hr100:int16', datatype: 'i', values: [101, 102, 103] },
    { address: 'hr110:float32', datatype: 'f', values: [104.5, 105.5, 106.5] },
    { address: 'co100', datatype: 'b', values: [true, false] },
  ],
};

export function clientOver(client: RawClient): TestClient {
  const ask = (pdu: string) => client.ask(pdu);
  return {
    read: async (text) => {
      const address = addressOf(text);
      const answer = Buffer.from(await ask(readCodes[address.area] + hex(address.start) + hex(address.length)), 'hex');
      if ((answer[0] ?? 0) >= 0x80) return { value: undefined, isGood: false };
      const isBit = address.layout === undefined;
      const registers = Array.from({ length: address.length }, (_, at) =>
        isBit ? (answer[2] ?? 0) & 1 : answer.readUInt16BE(2 + 2 * at),
      );
      return { value: fromRegisters(address, registers), isGood: true };
    },
    write: async (text, value) => {
      const address = addressOf(text);
      const registers = toRegisters(address, value);
      const data = registers.map(hex).join('');
      const pdu =
        address.layout === undefined
          ? `05${hex(address.start)}${value === true ? 'ff00' : '0000'}`
          : `10${hex(address.start)}${hex(registers.length)}${(2 * registers.length).toString(16).padStart(2, '0')}${data}`;
      const answer = await ask(pdu);
      if (Number.parseInt(answer.slice(0, 2), 16) >= 0x80) throw new Error(`exception ${answer}`);
    },
    close: () => client.close(),
  };
}
