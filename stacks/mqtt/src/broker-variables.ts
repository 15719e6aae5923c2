// The variables that say which broker is meant and how it is reached: the same for connectors and providers.
import { CertificateFile, FileName, Secret, type Static, Type } from '@telltale/stack-kit';

export const brokerVariables = {
  host: Type.String({
    title: 'Name or address of the broker',
    default: '127.0.0.1',
    pattern: String.raw`^[0-9A-Za-z._:\-]{1,253}$`,
    form: 'a host name or IP address',
  }),
  port: Type.Integer({
    title: 'Port of the broker',
    description: 'Usually 1883, and 8883 with TLS.',
    default: 1883,
    minimum: 1,
    maximum: 65535,
  }),
  version: Type.Enum(['5', '3.1.1'], {
    title: 'Version of MQTT',
    description: 'With 5 a broker reports why it refuses, and that a command has no subscriber.',
    default: '5',
  }),
  tls: Type.Boolean({
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
