// The variables of a connector.
import { type Static, Type } from '@telltale/stack-kit';
import { brokerVariables } from './broker-variables.ts';
import { commandVariables } from './command-settings.ts';
import { measurementVariables } from './measurement-settings.ts';

export const connectorVariables = Type.Object({
  ...brokerVariables,
  cleanStart: Type.Boolean({
    title: 'Start each connection with a clean session',
    description:
      'false: while the connection is down, the broker stores messages of QoS 1 and 2 (clientId is required), and commands of QoS 2 are refused. For payloads with a time: without one, a value that may have been stored is uncertain, last usable value.',
    default: true,
  }),
  subscribeQos: Type.Enum(['0', '1', '2'], { title: 'QoS of subscriptions', default: '1' }),
  maxMessagesPerSecond: Type.Integer({
    title: 'Maximum number of messages per second',
    description: 'Above it, only the newest message of each topic is read.',
    default: 10_000,
    minimum: 1,
    maximum: 1_000_000,
  }),
  ...measurementVariables,
  lateReadings: Type.Boolean({
    title: 'Accept readings that devices send late',
    description: 'false: a live message whose time differs by more than the allowed clock skew gets the server’s time.',
    default: false,
  }),
  statusTopic: Type.String({
    title: 'Status topic of devices',
    description:
      'Birth and last will: whether a device is online. Such as plant/{device}/status: {device} is the same level of a measurement’s topic, or its property device. Without {device}: one for all. Empty: none.',
    default: '',
  }),
  onlinePayload: Type.String({ title: 'Status payload of an online device', default: 'online' }),
  offlinePayload: Type.String({ title: 'Status payload of an offline device', default: 'offline' }),
  hostId: Type.String({
    title: 'Sparkplug: identifier as a host application',
    description: 'Publishes its STATE, for edge nodes that wait for their primary host. Empty: none.',
    default: '',
    pattern: String.raw`^[^+#/\u0000-\u001f]{0,128}$`,
    form: 'at most 128 characters, none of them +, #, / or a control character',
  }),
  reorderTimeoutMs: Type.Integer({
    title: 'Sparkplug: milliseconds in which an overtaken message may still arrive',
    unit: 'ms',
    description:
      'After a gap in the sequence of an edge node, later messages are held back for so long; then a rebirth is requested. 0: at once.',
    default: 1000,
    minimum: 0,
    maximum: 60_000,
  }),
  maxMetricAgeMs: Type.Integer({
    title: 'Sparkplug: milliseconds by which a metric may be older than its message',
    unit: 'ms',
    description:
      'In data, a metric with an older time is uncertain, last usable value. Births may have values of any age. 0: data as well.',
    default: 60_000,
    minimum: 0,
    maximum: 86_400_000,
  }),
  ...commandVariables,
  expirySeconds: Type.Integer({
    title: 'Seconds for which the broker stores a command for an offline device',
    unit: 's',
    description: 'MQTT 5 only, and not for retained commands. 0: no limit.',
    default: 10,
    minimum: 0,
    maximum: 86_400,
  }),
});
export type ConnectorVariables = Static<typeof connectorVariables>;
