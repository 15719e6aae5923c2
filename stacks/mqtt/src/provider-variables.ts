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
  ...topicNames,
] as const;
export type ValueName = (typeof valueNames)[number];

const word = (title: string, description: string) =>
  Type.String({ title, description, default: '', pattern: String.raw`^[^+#/\u0000-\u001f]{0,128}$` });

export const providerVariables = Type.Object({
  ...brokerVariables,
  format: Type.Enum(['plain', 'sparkplug'], {
    title: 'What is published',
    description: 'plain: topics and payloads as the templates say; sparkplug: a Sparkplug B edge node.',
    default: 'plain',
  }),
  topic: Type.String({
    title: 'Topic of a point',
    description: 'With {address}, {name} and {provider} in it.',
    default: '{address}',
  }),
  payload: Type.String({
    title: 'Payload',
    description:
      'With {value} (as JSON; null where there is none), {text}, {quality} (a number), {status} (good, uncertain, bad), {time} (ISO 8601), {timeMs}, {timeUs}, {datatype} and those of the topic in it.',
    default: '{"value":{value},"quality":{quality},"time":"{time}"}',
  }),
  qos: Type.Enum(['0', '1', '2'], { title: 'Quality of service of what is published', default: '1' }),
  retain: Type.Boolean({ title: 'Whether the broker retains the values', default: true }),
  inFlight: Type.Integer({
    title: 'How many publishes may wait for the broker',
    description:
      'What changes meanwhile waits, the newest value of each point. Fewer where a broker of MQTT 5 says so.',
    default: 100,
    minimum: 1,
    maximum: 1000,
  }),
  statusTopic: Type.String({
    title: 'Topic that says whether the provider is there',
    description: 'Retained, and the last will of the connection. With {provider} in it; empty: none.',
    default: 'telltale/{provider}/status',
  }),
  onlinePayload: Type.String({ title: 'Its payload while the provider is there', default: 'online' }),
  offlinePayload: Type.String({ title: 'Its payload while it is not', default: 'offline' }),
  commandTopic: Type.String({
    title: 'Topic at which a command is written',
    description: 'With the same placeholders as the topic; empty: commands cannot be written.',
    default: '{address}/set',
  }),
  commandValue: Type.String({
    title: 'Where the value is in the payload of a write',
    description:
      'As behind the # of a connector’s address: a JSON pointer such as /value; empty: the payload as it is.',
    default: '',
  }),
  answerTopic: Type.String({
    title: 'Topic at which a write is answered',
    description:
      'With the same placeholders; empty: none. A write with a response topic (MQTT 5) is answered there instead.',
    default: '{address}/set/answer',
  }),
  group: word('Sparkplug: group', 'Required by sparkplug.'),
  node: word('Sparkplug: edge node', 'Required by sparkplug.'),
  primaryHost: word(
    'Sparkplug: primary host application',
    'Births are published while its STATE says that it is online; empty: always.',
  ),
});
export type ProviderVariables = Static<typeof providerVariables>;
