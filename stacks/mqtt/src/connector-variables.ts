// The variables of a connector.
import { type Static, Type } from '@telltale/stack-kit';
import { brokerVariables } from './broker-variables.ts';
import { commandVariables } from './command-settings.ts';
import { measurementVariables } from './measurement-settings.ts';

export const connectorVariables = Type.Object({
  ...brokerVariables,
  cleanStart: Type.Boolean({
    title: 'Whether the broker forgets the session while the connection is down',
    description:
      'false: it keeps messages of quality 1 and 2 meanwhile (clientId is required), and commands of quality 2 are refused. For payloads that have a time: without one, what may have been kept is uncertain, last usable value.',
    default: true,
  }),
  subscribeQos: Type.Enum(['0', '1', '2'], { title: 'Quality of service of subscriptions', default: '1' }),
  maxMessagesPerSecond: Type.Integer({
    title: 'Messages that are read in a second',
    description: 'Beyond, the newest message of each topic is read.',
    default: 10_000,
    minimum: 1,
    maximum: 1_000_000,
  }),
  ...measurementVariables,
  lateReadings: Type.Boolean({
    title: 'Whether devices may send readings later than they took them',
    description: 'false: a live message whose time is off by more than the allowed skew has the server’s time.',
    default: false,
  }),
  statusTopic: Type.String({
    title: 'Topic that says whether a device is there',
    description:
      'Birth and last will. An address such as plant/{device}/status: {device} is the level of a measurement’s topic at the same place, or its property device. Without {device}: one for all. Empty: none.',
    default: '',
  }),
  onlinePayload: Type.String({ title: 'What it says of a device that is there', default: 'online' }),
  offlinePayload: Type.String({ title: 'What it says of a device that is not there', default: 'offline' }),
  hostId: Type.String({
    title: 'Sparkplug: identifier as a host application',
    description: 'Its STATE is published, for edge nodes that wait for their primary host; empty: none.',
    default: '',
    pattern: String.raw`^[^+#/\u0000-\u001f]{0,128}$`,
  }),
  ...commandVariables,
  expirySeconds: Type.Integer({
    title: 'Seconds for which the broker keeps a command for a device that is away',
    description: 'MQTT 5 alone, and not for retained commands. 0: as long as it likes.',
    default: 10,
    minimum: 0,
    maximum: 86_400,
  }),
});
export type ConnectorVariables = Static<typeof connectorVariables>;
