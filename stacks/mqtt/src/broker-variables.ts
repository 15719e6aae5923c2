// The variables that say which broker is meant and how it is reached: the same for connectors and providers.
import { CertificateFile, FileName, Secret, type Static, Type } from '@telltale/stack-kit';

const broker = String.raw`(?:[0-9A-Za-z._\-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?`;

export const brokerVariables = {
  host: Type.String({
    destination: true,
    title: 'Name or address of the broker',
    default: '127.0.0.1',
    pattern: String.raw`^[0-9A-Za-z._:\-]{1,253}$`,
    form: 'a host name or IP address',
  }),
  port: Type.Integer({
    destination: true,
    title: 'Port of the broker',
    description: 'Usually 1883, and 8883 with TLS; with websocket what the broker says, such as 8080 or 443.',
    default: 1883,
    minimum: 1,
    maximum: 65535,
  }),
  otherBrokers: Type.String({
    destination: true,
    title: 'Further brokers, for when the first is away',
    description:
      'Up to 3, with commas, in the order in which they are tried; without a port: the same. All other variables are those of the ' +
      'first. Empty: none.',
    default: '',
    pattern: `^(?:${broker}(?:, {0,4}${broker}){0,2})?$`,
    form: 'HOST or HOST:PORT, an IPv6 address in brackets; up to 3 of them, with commas',
  }),
  transport: Type.Enum(['tcp', 'websocket'], {
    title: 'Transport',
    description: 'websocket: ws://, and with TLS wss://, such as through a proxy of the web.',
    default: 'tcp',
  }),
  webSocketPath: Type.String({
    destination: true,
    title: 'Path of the broker, with websocket',
    default: '/mqtt',
    pattern: '^/[!-~]{0,255}$',
    form: 'a path that begins with /, of at most 256 printable characters without spaces',
  }),
  version: Type.Enum(['5', '3.1.1'], {
    title: 'Version of MQTT',
    description: 'With 5 a broker reports why it refuses, and that a command has no subscriber.',
    default: '5',
  }),
  tls: Type.Boolean({
    destination: true,
    title: 'Use TLS',
    description:
      'The certificate of the broker is always verified: by a CA, or as the very one that a person has trusted.',
    default: false,
  }),
  caFile: CertificateFile({
    title: 'File with the trusted CA certificates',
    description: 'PEM, in the folder of this connector or provider. Empty: the well-known CAs.',
    of: 'authority',
  }),
  certFile: CertificateFile({
    title: 'File with the client certificate',
    description: 'PEM, in the same folder; for brokers that require one.',
    of: 'own',
  }),
  keyFile: FileName({
    title: 'File with the private key of the client certificate',
    description: 'PEM, in the same folder.',
  }),
  serverName: Type.String({
    destination: true,
    title: 'Name that the certificate of the broker must contain',
    description: 'Empty: the host.',
    default: '',
    pattern: '^[0-9A-Za-z.-]{0,253}$',
    form: 'a host name, such as broker.example',
  }),
  clientId: Type.String({
    title: 'Client identifier',
    description: 'Empty: a new one for each connection, beginning with `telltale`.',
    default: '',
    pattern: '^[0-9A-Za-z._:@/-]{0,128}$',
    form: 'at most 128 of 0-9, a-z, A-Z, ., _, :, @, / and -',
  }),
  user: Type.String({ title: 'User name', default: '' }),
  password: Secret({ title: 'Password', default: '' }),
  pingAfterMs: Type.Integer({
    title: 'Milliseconds of silence after which the broker is pinged',
    unit: 'ms',
    description:
      'Increase it on links with metered traffic. If the broker does not answer within timeoutMs, the link is lost.',
    default: 500,
    minimum: 50,
    maximum: 600_000,
  }),
  timeoutMs: Type.Integer({
    title: 'Timeout of a request to the broker in milliseconds',
    unit: 'ms',
    default: 2000,
    minimum: 50,
    maximum: 60_000,
  }),
  maxPacketKiB: Type.Integer({
    title: 'Maximum size of a message in KiB, topic included',
    description: 'The payload of a larger message is discarded, and its points become bad.',
    default: 256,
    minimum: 1,
    maximum: 16_384,
  }),
};

const schema = Type.Object(brokerVariables);
export type BrokerVariables = Static<typeof schema>;

/** The preferred one first; mostly one alone. */
export function brokersOf({
  host,
  port,
  otherBrokers,
}: Pick<BrokerVariables, 'host' | 'port' | 'otherBrokers'>): { readonly host: string; readonly port: number }[] {
  const others = otherBrokers === '' ? [] : otherBrokers.split(/, */);
  return [
    { host, port },
    ...others.map((text) => {
      const [, bracketed, name = '', own] = /^(?:\[(.*)\]|([^:]*))(?::([0-9]+))?$/.exec(text) ?? [];
      return { host: bracketed ?? name, port: own === undefined ? port : Number(own) };
    }),
  ];
}

/** For people. */
export function brokerName({ host, port, tls, transport, webSocketPath }: BrokerVariables): string {
  const scheme = transport === 'websocket' ? 'ws' : 'mqtt';
  const path = transport === 'websocket' ? webSocketPath : '';
  return `${scheme}${tls ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}
