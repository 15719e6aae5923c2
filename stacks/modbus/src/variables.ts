// The variables of connectors and providers, and what contradicts each other in them.
import {
  CertificateFile,
  checkListening,
  FileName,
  listenVariables,
  type Static,
  scanPeriodVariable,
  servingVariables,
  Type,
  timeoutVariable,
  type VariableFault,
} from '@telltale/stack-kit';
import { orders } from './registers.ts';

const order = Type.Enum([...orders], {
  title: 'Byte order of values of two and four registers',
  description:
    'A is the most significant byte. `abcd` is the order of the specification; `cdab` swaps the words, `badc` the bytes ' +
    'in each word, `dcba` both. An address can override it, as in `hr100:float32/cdab`. Single registers and texts are ' +
    'not affected.',
  default: 'abcd',
});

const unit = {
  default: 1,
  minimum: 0,
  maximum: 255,
};

function tlsFiles(role: 'connector' | 'provider', own: 'client' | 'server', withoutAuthorities: string) {
  return {
    caFile: CertificateFile({
      title: 'File with the trusted CA certificates',
      description: `PEM, in the folder of the ${role}. ${withoutAuthorities}`,
      of: 'authority',
    }),
    certFile: CertificateFile({
      title: `File with the ${own} certificate`,
      description: 'PEM, in the same folder; for TLS.',
      of: 'own',
    }),
    keyFile: FileName({
      title: `File with the private key of the ${own} certificate`,
      description: 'PEM, in the same folder.',
    }),
  };
}

export const connectorVariables = Type.Object({
  transport: Type.Enum(['tcp', 'rtu-tcp', 'serial'], {
    title: 'Transport',
    description:
      '`tcp` is Modbus TCP. `rtu-tcp` is Modbus RTU over a TCP connection, for transparent serial device servers. ' +
      '`serial` is Modbus RTU on a serial port of this machine.',
    default: 'tcp',
  }),
  host: Type.String({
    title: 'Name or address of the device or gateway',
    description: 'Not for `serial`.',
    default: '',
    pattern: '^[0-9a-zA-Z.:_%-]{0,255}$',
    form: 'a host name or IP address',
  }),
  port: Type.Integer({
    title: 'TCP port of the device or gateway',
    description: 'Usually 502, and 802 with TLS.',
    default: 502,
    minimum: 1,
    maximum: 65_535,
  }),
  tls: Type.Boolean({
    title: 'Use TLS',
    description:
      'Modbus/TCP Security, only with `tcp`. The certificate of the device is always verified: by a CA, or as the very ' +
      'one that a person has trusted.',
    default: false,
  }),
  ...tlsFiles('connector', 'client', 'Empty: the well-known CAs.'),
  serverName: Type.String({
    title: 'Name that the certificate of the device must contain',
    description: 'Empty: the host.',
    default: '',
    pattern: '^[0-9A-Za-z.-]{0,253}$',
    form: 'a host name, such as plc.example',
  }),
  path: Type.String({
    title: 'Serial port',
    description:
      'Such as `/dev/ttyUSB0`, `/dev/serial/by-id/usb-…` or `COM3`. Must be a character device below `/dev`; links are followed only within it.',
    default: '',
    pattern: '^[^\\u0000]{0,255}$',
    form: 'a path of at most 255 characters, such as /dev/ttyUSB0',
  }),
  baudRate: Type.Integer({
    title: 'Baud rate of the serial line',
    default: 19_200,
    minimum: 50,
    maximum: 4_000_000,
  }),
  parity: Type.Enum(['even', 'odd', 'none'], { title: 'Parity of the serial line', default: 'even' }),
  stopBits: Type.Integer({
    title: 'Stop bits of the serial line',
    description: 'The specification requires 2 without parity.',
    default: 1,
    minimum: 1,
    maximum: 2,
  }),
  unit: Type.Integer({ title: 'Unit of addresses without one', ...unit }),
  scanPeriodMs: scanPeriodVariable,
  timeoutMs: timeoutVariable,
  requestDelayMs: Type.Integer({
    title: 'Milliseconds between an answer and the next request',
    unit: 'ms',
    description: 'For devices that need a turnaround time.',
    default: 0,
    minimum: 0,
    maximum: 10_000,
  }),
  maxRegisters: Type.Integer({
    title: 'Maximum number of registers in a read request',
    description: 'For coils and discrete inputs, 16 times as many.',
    default: 125,
    minimum: 1,
    maximum: 125,
  }),
  maxGap: Type.Integer({
    title: 'Maximum gap between points in one request, in registers',
    description:
      'Neighbouring points share a request: reading the unused registers between them costs less than another request. ' +
      'Use 0 for devices that refuse to read unmapped registers. A refused request is split in any case.',
    default: 16,
    minimum: 0,
    maximum: 124,
  }),
  pipelining: Type.Integer({
    title: 'Maximum number of concurrent requests',
    description: 'Only with `tcp`, and only for devices that support it: many accept one request at a time.',
    default: 1,
    minimum: 1,
    maximum: 16,
  }),
  order,
  writeFunction: Type.Enum(['single', 'multiple'], {
    title: 'Function that writes a single coil or register',
    description:
      '`single`: 5 and 6. `multiple`: 15 and 16, for devices that support only these. Wider values are always written by 16.',
    default: 'single',
  }),
  maxWriteRegisters: Type.Integer({
    title: 'Maximum number of registers in a write request of several commands',
    description:
      'Commands that are written together and follow each other without a gap share a request (function 16, or 15 for ' +
      'coils, 16 times as many). A block that is refused is written one by one. 1: always one by one.',
    default: 123,
    minimum: 1,
    maximum: 123,
  }),
  bitWrites: Type.Enum(['mask', 'read-modify-write'], {
    title: 'How a bit of a register is written',
    description:
      '`mask`: by function 22, which does not change the other bits. `read-modify-write`: for devices without it; a ' +
      'write by another client between read and write is overwritten.',
    default: 'mask',
  }),
  readBack: Type.Boolean({
    title: 'Read back after each write',
    description: 'A command is accepted if the device then has the value, and refused if it has another.',
    default: false,
  }),
  readWrite: Type.Boolean({
    title: 'Write and read back in one request',
    description:
      'With `readBack`: holding registers by function 23, for devices that have it. Coils and bits are read back on their own.',
    default: false,
  }),
});
export type ConnectorVariables = Static<typeof connectorVariables>;

export function checkConnectorVariables(values: ConnectorVariables): VariableFault[] {
  const { transport, host, path, unit: unitNumber, pipelining } = values;
  const { tls, caFile, certFile, keyFile, readBack, readWrite } = values;
  const faults: VariableFault[] = [];
  if (tls && transport !== 'tcp') faults.push({ field: 'tls', message: 'is only for transport tcp' });
  if (!tls && (caFile !== '' || certFile !== '' || keyFile !== '')) faults.push(tlsIsNeeded);
  faults.push(...checkPair(values));
  if (readWrite && !readBack) faults.push({ field: 'readWrite', message: 'requires readBack: true' });
  if (transport === 'serial') {
    if (path === '') faults.push({ field: 'path', message: 'is required with transport serial, such as /dev/ttyUSB0' });
  } else if (host === '') faults.push({ field: 'host', message: `is required with transport ${transport}` });
  if (transport !== 'tcp') {
    if (unitNumber === 0)
      faults.push({ field: 'unit', message: 'must not be 0 on a serial line: 0 is broadcast, which is not answered' });
    if (pipelining > 1) faults.push({ field: 'pipelining', message: 'must be 1 with every transport but tcp' });
  }
  return faults;
}

const tlsIsNeeded: VariableFault = { field: 'tls', message: 'must be true if caFile, certFile or keyFile is set' };

function checkPair({ certFile, keyFile }: { readonly certFile: string; readonly keyFile: string }): VariableFault[] {
  if ((certFile === '') === (keyFile === '')) return [];
  const field = certFile === '' ? 'certFile' : 'keyFile';
  return [{ field, message: 'is required: certFile and keyFile belong together' }];
}

interface IdentificationOptions {
  readonly title: string;
  readonly objectId: number;
  readonly default?: string;
  /** What stands for an empty one; without it, such an object is not served. */
  readonly empty?: string;
}

/** An object of the device identification: plain ASCII, as the specification has it. */
function Identification({ title, objectId, default: value = '', empty = 'not served' }: IdentificationOptions) {
  return Type.String({
    title,
    description: `Object ${objectId} of the device identification (function 43/14).${value === '' ? ` Empty: ${empty}.` : ''}`,
    default: value,
    pattern: '^[ -~]{0,100}$',
    form: 'at most 100 characters of ASCII',
  });
}

export const providerVariables = Type.Object({
  ...listenVariables(1502),
  tls: Type.Boolean({
    title: 'Use TLS',
    description:
      'Modbus/TCP Security, usually on port 802. Every client must present a certificate: one of a CA in `caFile`, or ' +
      'the very one that a person has trusted. Then `allowedClients` may be empty: everybody with such a certificate.',
    default: false,
  }),
  ...tlsFiles('provider', 'server', 'Empty: only certificates that a person has trusted.'),
  writeRoles: Type.String({
    title: 'Roles that may write',
    description:
      'With TLS: roles in the certificates of clients (extension 1.3.6.1.4.1.50316.802.1), separated by commas, such as ' +
      '`Operator, Engineer`. Writes of others are answered with exception 1, illegal function. Empty: every client.',
    default: '',
    pattern: '^[^\\u0000]{0,1000}$',
    form: 'roles separated by commas',
  }),
  unit: Type.Integer({
    title: 'Unit of addresses without one',
    description: 'Units 0 and 255 are answered with the same, as the specification says for TCP.',
    ...unit,
  }),
  anyUnit: Type.Boolean({
    title: 'Answer every unit',
    description:
      'A unit of which nothing is served is answered as `unit` is, for clients whose unit cannot be set. Otherwise with ' +
      'exception 2, illegal data address.',
    default: false,
  }),
  order,
  badQuality: Type.Enum(['exception', 'last-value'], {
    title: 'What is served for a point of bad quality',
    description:
      '`exception`: a request for such a point is answered with exception 4, server device failure. `last-value`: the ' +
      'last value, without any sign of a failure. A point whose address has `;good=…` or `;quality=…` is always served, ' +
      'since clients see its quality there.',
    default: 'exception',
  }),
  unmapped: Type.Enum(['exception', 'zeros'], {
    title: 'What is served for unmapped addresses',
    description:
      '`exception`: a request that includes one is answered with exception 2, illegal data address. `zeros`: zeros, for ' +
      'clients that read whole blocks. Writes there are always refused.',
    default: 'exception',
  }),
  maxClients: Type.Integer({
    title: 'Maximum number of clients',
    description: 'Further clients are disconnected.',
    default: 32,
    minimum: 1,
    maximum: 1000,
  }),
  ...servingVariables,
  idleSeconds: Type.Integer({
    title: 'Seconds after which an idle client is disconnected',
    unit: 's',
    default: 300,
    minimum: 1,
    maximum: 86_400,
  }),
  vendorName: Identification({ title: 'Vendor name', objectId: 0, default: 'Telltale' }),
  productCode: Identification({ title: 'Product code', objectId: 1, default: 'telltale' }),
  revision: Identification({ title: 'Revision', objectId: 2, empty: 'the version of this stack' }),
  vendorUrl: Identification({ title: 'URL of the vendor', objectId: 3 }),
  productName: Identification({ title: 'Product name', objectId: 4, default: 'Telltale' }),
  modelName: Identification({ title: 'Model name', objectId: 5, empty: 'the name of the provider' }),
  applicationName: Identification({ title: 'Name of the user application', objectId: 6 }),
});
export type ProviderVariables = Static<typeof providerVariables>;

export function checkProviderVariables(values: ProviderVariables): VariableFault[] {
  const { tls, caFile, certFile, keyFile, writeRoles } = values;
  const faults = [...checkListening(values, { isAuthenticated: tls }), ...checkPair(values)];
  if (tls && certFile === '' && keyFile === '') {
    faults.push({ field: 'certFile', message: 'is required with tls: the certificate that clients verify' });
  }
  if (!tls && (caFile !== '' || certFile !== '' || keyFile !== '')) faults.push(tlsIsNeeded);
  if (!tls && writeRoles !== '') {
    faults.push({ field: 'writeRoles', message: 'requires tls: roles are in the certificates of clients' });
  }
  return faults;
}
