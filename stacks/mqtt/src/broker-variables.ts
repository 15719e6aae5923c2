// The variables that say which broker is meant and how it is reached: the same for connectors and providers.
import { Secret, type Static, Type } from '@telltale/stack-kit';

const file = (title: string, description: string) =>
  Type.String({ title, description, default: '', pattern: '^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,99})?$' });

export const brokerVariables = {
  host: Type.String({
    title: 'Name or address of the broker',
    default: '127.0.0.1',
    pattern: String.raw`^[0-9A-Za-z._:\-]{1,253}$`,
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
    description: 'With 5 a broker says why it refuses, and that nobody has subscribed to a command.',
    default: '5',
  }),
  tls: Type.Boolean({
    title: 'Whether the connection is encrypted',
    description: 'The certificate of the broker is always verified.',
    default: false,
  }),
  caFile: file(
    'File with the certificates that are trusted',
    'PEM, in the folder of this connector or provider. Without it: the well-known authorities.',
  ),
  certFile: file('File with the own certificate', 'PEM, in the same folder; for brokers that want one.'),
  keyFile: file('File with the key of the own certificate', 'PEM, in the same folder.'),
  serverName: Type.String({
    title: 'Name that the certificate of the broker must have',
    description: 'Without it: the host.',
    default: '',
    pattern: '^[0-9A-Za-z.-]{0,253}$',
  }),
  clientId: Type.String({
    title: 'Client identifier',
    description: 'Without it: one that begins with `telltale` and is made anew for each connection.',
    default: '',
    pattern: '^[0-9A-Za-z._:@/-]{0,128}$',
  }),
  user: Type.String({ title: 'User name', default: '' }),
  password: Secret({ title: 'Password', default: '' }),
  pingAfterMs: Type.Integer({
    title: 'Milliseconds of silence after which the broker is asked whether it is there',
    description: 'More for a link that is paid by the byte. A broker that does not answer within timeoutMs is lost.',
    default: 500,
    minimum: 50,
    maximum: 600_000,
  }),
  timeoutMs: Type.Integer({
    title: 'Milliseconds that the broker has to answer',
    default: 2000,
    minimum: 50,
    maximum: 60_000,
  }),
  maxPacketKiB: Type.Integer({
    title: 'KiB that a message may have, with its topic',
    description: 'The payload of a larger one is passed over; its points turn bad.',
    default: 256,
    minimum: 1,
    maximum: 16_384,
  }),
};

const schema = Type.Object(brokerVariables);
export type BrokerVariables = Static<typeof schema>;
