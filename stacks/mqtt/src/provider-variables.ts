// The variables of a provider, and what its templates may have in them. Pure.
import { type Static, Type } from '@telltale/stack-kit';
import { brokerVariables } from './broker-variables.ts';

export const topicNames = ['address', 'name', 'provider'] as const;
export const valueNames = [
  'value',
  'text',
  'quality',
  'status',
  'time',
  'timeMs',
  'timeUs',
  'datatype',
  'historical',
  ...topicNames,
] as const;
export type ValueName = (typeof valueNames)[number];

const word = (title: string, description: string) =>
  Type.String({
    title,
    description,
    default: '',
    pattern: String.raw`^[^+#/\u0000-\u001f]{0,128}$`,
    form: 'at most 128 characters, none of them +, #, / or a control character',
  });

/** Of values that the archive has from an outage. */
const forwardVariables = {
  forwardHours: Type.Integer({
    title: 'Hours of an outage of which values are sent afterwards',
    description:
      'From the archive: with sparkplug of all points but elements and cells, as historical; with plain of those with the property `forward`. ' +
      '0: none.',
    default: 24,
    minimum: 0,
    maximum: 8760,
  }),
  forwardRate: Type.Integer({
    title: 'Values of an outage that are sent in a second',
    default: 5000,
    minimum: 1,
    maximum: 100_000,
  }),
  forwardOverlapMs: Type.Integer({
    title: 'Milliseconds before a loss of which values are sent again',
    description:
      'A loss is noticed late: what was sent shortly before it may not have arrived. For a primary host application, one and ' +
      'a half times its keep-alive.',
    unit: 'ms',
    default: 90_000,
    minimum: 0,
    maximum: 3_600_000,
  }),
};

export const providerVariables = Type.Object({
  ...brokerVariables,
  format: Type.Enum(['plain', 'sparkplug'], {
    title: 'What is published',
    description: 'plain: topics and payloads by templates. sparkplug: a Sparkplug B edge node.',
    default: 'plain',
  }),
  topic: Type.String({
    title: 'Topic of a point',
    description: 'Placeholders: {address}, {name}, {provider}.',
    default: '{address}',
  }),
  payload: Type.String({
    title: 'Payload',
    description:
      'Placeholders: {value} (as JSON, or null), {text}, {quality} (a number), {status} (good, uncertain, bad), {time} (ISO 8601), {timeMs}, {timeUs}, {datatype}, {historical} (true of a value of an outage), and those of the topic.',
    default: '{"value":{value},"quality":{quality},"time":"{time}"}',
  }),
  qos: Type.Enum(['0', '1', '2'], { title: 'QoS of published messages', default: '1' }),
  retain: Type.Boolean({ title: 'Have the broker retain the values', default: true }),
  inFlight: Type.Integer({
    title: 'Maximum number of unacknowledged publishes',
    description: 'Above it, the newest value of each point is queued. An MQTT 5 broker may set a lower limit.',
    default: 100,
    minimum: 1,
    maximum: 1000,
  }),
  statusTopic: Type.String({
    title: 'Status topic of the provider',
    description: 'Retained, and the last will of the connection. Placeholder: {provider}. Empty: none.',
    default: 'telltale/{provider}/status',
  }),
  onlinePayload: Type.String({ title: 'Status payload while the provider is online', default: 'online' }),
  offlinePayload: Type.String({ title: 'Status payload while it is offline', default: 'offline' }),
  commandTopic: Type.String({
    title: 'Topic for writing a command',
    description: 'Placeholders: those of the topic. Empty: commands cannot be written.',
    default: '{address}/set',
  }),
  commandValue: Type.String({
    title: 'Position of the value in the payload of a write',
    description: 'As after the # of a connector’s address: a JSON pointer such as /value. Empty: the whole payload.',
    default: '',
  }),
  answerTopic: Type.String({
    title: 'Topic for answers to writes',
    description:
      'Placeholders: those of the topic. Empty: none. A write with a response topic (MQTT 5) is answered there instead.',
    default: '{address}/set/answer',
  }),
  group: word('Sparkplug: group', 'Required by sparkplug.'),
  node: word('Sparkplug: edge node', 'Required by sparkplug.'),
  primaryHost: word(
    'Sparkplug: primary host application',
    'Births are published only while its STATE is online. Empty: always.',
  ),
  ...forwardVariables,
});
export type ProviderVariables = Static<typeof providerVariables>;
