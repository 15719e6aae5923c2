// The variables of connectors and providers, and what contradicts each other in them.
import {
  checkListening,
  listenVariables,
  type Static,
  scanPeriodVariable,
  Type,
  timeoutVariable,
  type VariableFault,
} from '@telltale/stack-kit';
import { orders } from './registers.ts';

const order = Type.Enum([...orders], {
  title: 'Order of the bytes of values of two and four registers',
  description:
    'A is the most significant byte. `abcd` is what the specification has; `cdab` turns the words, `badc` the bytes in ' +
    'each word, `dcba` both. An address may say otherwise, as in `hr100:float32/cdab`. Single registers and texts are ' +
    'not touched by it.',
  default: 'abcd',
});

const unit = {
  default: 1,
  minimum: 0,
  maximum: 255,
};

export const connectorVariables = Type.Object({
  transport: Type.Enum(['tcp', 'rtu-tcp', 'serial'], {
    title: 'What carries the requests',
    description:
      '`tcp` is Modbus TCP. `rtu-tcp` has the frames of a serial line on a TCP connection, as transparent device servers ' +
      'want them. `serial` is Modbus RTU on a serial port of this machine.',
    default: 'tcp',
  }),
  host: Type.String({
    title: 'Name or address of the device or gateway',
    description: 'Not for `serial`.',
    default: '',
    pattern: '^[0-9a-zA-Z.:_%-]{0,255}$',
  }),
  port: Type.Integer({ title: 'Its TCP port', default: 502, minimum: 1, maximum: 65_535 }),
  path: Type.String({
    title: 'Serial port',
    description:
      'Such as `/dev/ttyUSB0`, `/dev/serial/by-id/usb-…` or `COM3`. A character device below `/dev`; links are followed there alone.',
    default: '',
    pattern: '^[^\\u0000]{0,255}$',
  }),
  baudRate: Type.Integer({
    title: 'Bits a second of the serial line',
    default: 19_200,
    minimum: 50,
    maximum: 4_000_000,
  }),
  parity: Type.Enum(['even', 'odd', 'none'], { title: 'Parity of the serial line', default: 'even' }),
  stopBits: Type.Integer({
    title: 'Stop bits of the serial line',
    description: 'The specification wants 2 without parity.',
    default: 1,
    minimum: 1,
    maximum: 2,
  }),
  unit: Type.Integer({ title: 'Unit of addresses that name none', ...unit }),
  scanPeriodMs: scanPeriodVariable,
  timeoutMs: timeoutVariable,
  requestDelayMs: Type.Integer({
    title: 'Milliseconds between an answer and the next request',
    description: 'For devices that need time to turn round.',
    default: 0,
    minimum: 0,
    maximum: 10_000,
  }),
  maxRegisters: Type.Integer({
    title: 'Most registers of a read request',
    description: 'Of coils and discrete inputs, sixteen times as many.',
    default: 125,
    minimum: 1,
    maximum: 125,
  }),
  maxGap: Type.Integer({
    title: 'Most registers read along between two points',
    description:
      'Neighbouring points share a request; registers between them that nobody asked for cost less than a request. 0 for ' +
      'devices that refuse to read what they do not have; a request that is refused is split anyhow.',
    default: 16,
    minimum: 0,
    maximum: 124,
  }),
  pipelining: Type.Integer({
    title: 'Most requests under way at once',
    description: 'Only with `tcp`, and only for devices that can: many take one at a time.',
    default: 1,
    minimum: 1,
    maximum: 16,
  }),
  order,
  writeFunction: Type.Enum(['single', 'multiple'], {
    title: 'Function that writes one coil or register',
    description:
      '`single`: 5 and 6. `multiple`: 15 and 16, for devices that have only these. Wider values are always written by 16.',
    default: 'single',
  }),
  bitWrites: Type.Enum(['mask', 'read-modify-write'], {
    title: 'How a bit of a register is written',
    description:
      '`mask`: by function 22, which leaves the other bits alone. `read-modify-write`: for devices without it; what ' +
      'somebody else writes to the register between the two is undone.',
    default: 'mask',
  }),
  readBack: Type.Boolean({
    title: 'Whether what was written is read back',
    description: 'A command is accepted when the device has the value then, and refused when it has another.',
    default: false,
  }),
});
export type ConnectorVariables = Static<typeof connectorVariables>;

export function checkConnectorVariables(values: ConnectorVariables): VariableFault[] {
  const { transport, host, path, unit: unitNumber, pipelining } = values;
  const faults: VariableFault[] = [];
  if (transport === 'serial') {
    if (path === '') faults.push({ field: 'path', message: 'is required with transport serial, such as /dev/ttyUSB0' });
  } else if (host === '') faults.push({ field: 'host', message: `is required with transport ${transport}` });
  if (transport !== 'tcp') {
    if (unitNumber === 0)
      faults.push({ field: 'unit', message: 'must not be 0 on a serial line: nobody answers to all' });
    if (pipelining > 1) faults.push({ field: 'pipelining', message: 'must be 1 but with transport tcp' });
  }
  return faults;
}

export const providerVariables = Type.Object({
  ...listenVariables(1502),
  unit: Type.Integer({
    title: 'Unit of addresses that name none',
    description: 'Clients that ask for units 0 and 255 get the same, as the specification has it for TCP.',
    ...unit,
  }),
  order,
  badQuality: Type.Enum(['exception', 'last-value'], {
    title: 'What is served for a point whose quality is bad',
    description:
      '`exception`: a request that touches one is answered with exception 4, server device failure. `last-value`: the ' +
      'last value, as if nothing were wrong. A point whose address has `;good=…` or `;quality=…` is always served, since ' +
      'clients see its quality there.',
    default: 'exception',
  }),
  unmapped: Type.Enum(['exception', 'zeros'], {
    title: 'What is served between the points',
    description:
      '`exception`: a request that touches what no point has is answered with exception 2, illegal data address. `zeros`: ' +
      'zeros, for clients that read whole blocks. Writing there is refused in any case.',
    default: 'exception',
  }),
  maxClients: Type.Integer({
    title: 'Most clients at once',
    description: 'A client above that is sent away.',
    default: 32,
    minimum: 1,
    maximum: 1000,
  }),
  idleSeconds: Type.Integer({
    title: 'Seconds after which a client that asks nothing is sent away',
    default: 300,
    minimum: 1,
    maximum: 86_400,
  }),
});
export type ProviderVariables = Static<typeof providerVariables>;

export function checkProviderVariables(values: ProviderVariables): VariableFault[] {
  return checkListening(values);
}
