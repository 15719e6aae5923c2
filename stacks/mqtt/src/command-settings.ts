// How a command is published: its address and its properties over the connector's variables. Pure.
import { booleanForms, type Datatype, form, parseBoolean, traitsOf } from '@telltale/schema';
import { type Static, Type } from '@telltale/stack-kit';
import { type Address, parseAddress, parseSelector } from './address.ts';
import { compileTemplate, type Template } from './template.ts';
import { topicFault } from './topic.ts';

/** Variables of the connector which a command may have as properties of its own. */
export const commandVariables = {
  qos: Type.Enum(['0', '1', '2'], {
    title: 'QoS of commands',
    description: '1 and 2: a command is accepted when the broker has acknowledged it; 0: when it was sent.',
    default: '1',
  }),
  retain: Type.Boolean({ title: 'Have the broker retain commands', default: false }),
};

const schema = Type.Object(commandVariables);
export type CommandVariables = Static<typeof schema>;

export const payloadNames = ['value', 'text', 'name', 'time', 'timeMs', 'id'] as const;
export type PayloadName = (typeof payloadNames)[number];

export interface CommandSettings {
  readonly address: Address;
  readonly datatype: Datatype;
  readonly qos: 0 | 1 | 2;
  readonly retain: boolean;
  /** Undefined: the value, in the form that the address says. */
  readonly payload: Template<PayloadName> | undefined;
  readonly on: string | undefined;
  readonly off: string | undefined;
  /** Where the device answers, and which part of it is the answer. */
  readonly ack: Address | undefined;
  /** Where the answer has the identifier of its command. */
  readonly ackId: readonly string[] | undefined;
  readonly ackExpect: Template<PayloadName> | undefined;
}

export type ReadSettings = { settings: CommandSettings; fault?: never } | { settings?: never; fault: string };

export const commandProperties = [
  'Properties of a command:',
  [
    '- `payload`: a template of the payload. Placeholders: `{value}` (as JSON: texts in quotes), `{text}` (without quotes), `{name}` (of the command), `{time}` (ISO 8601), `{timeMs}` and `{id}` (of this write).',
    '- `qos` and `retain`: as the variables of the same name.',
    '- `on` and `off`: texts to send for 1 and 0.',
    '- `ackTopic`: an address such as `pump1/answer#/result`; the command is then accepted when the device has answered there, and refused if the answer differs from `ackExpect` (a text with the same placeholders; default: ok, true, 1, yes, done, accepted or success). If `ackExpect` contains the value, the topic is a state: other messages are ignored.',
    '- `ackId`: the position of the `{id}` of the payload in the JSON of the answer. With MQTT 5 the command also has a response topic and correlation data, and an answer with correlation data must have the same. Without either, only one command at a time can wait for an answer on a topic; after an unanswered one, the next is refused until the answer has come or has timed out.',
  ].join('\n'),
].join('\n\n');

interface PointLike {
  readonly datatype: Datatype;
  readonly properties: Readonly<Record<string, string>>;
}

export function readCommand(text: string, point: PointLike, defaults: CommandVariables): ReadSettings {
  const { address, fault } = parseAddress(text);
  if (address === undefined) return { fault };
  const wrong = topicFault(address.topic) ?? (address.topic.startsWith('$share/') ? 'a topic is expected' : undefined);
  if (wrong !== undefined) return { fault: wrong };
  if (address.selector.kind === 'binary' && traitsOf(point.datatype).form === form.text) {
    return { fault: `${address.selector.type} is not a text` };
  }
  const own = (name: string) => (Object.hasOwn(point.properties, name) ? point.properties[name] : undefined);
  const qos = own('qos') ?? defaults.qos;
  if (!/^[012]$/.test(qos)) return { fault: `the property qos is ${qos}; it must be 0, 1 or 2` };
  const retainText = own('retain');
  const retain = retainText === undefined ? defaults.retain : parseBoolean(retainText);
  if (retain === undefined) return { fault: `the property retain is ${retainText}; it must be ${booleanForms}` };
  const templates: Partial<Record<'payload' | 'ackExpect', Template<PayloadName>>> = {};
  for (const name of ['payload', 'ackExpect'] as const) {
    const value = own(name);
    if (value === undefined) continue;
    const compiled = compileTemplate(value, payloadNames);
    if (compiled.template === undefined) return { fault: `the property ${name}: ${compiled.fault}` };
    templates[name] = compiled.template;
  }
  const ackText = own('ackTopic');
  const ack = ackText === undefined ? undefined : parseAddress(ackText);
  if (ack?.fault !== undefined) return { fault: `the property ackTopic: ${ack.fault}` };
  const ackFault = ack === undefined ? undefined : topicFault(ack.address.topic);
  if (ackFault !== undefined) return { fault: `the property ackTopic: ${ackFault}` };
  if (ack?.address.selector.kind === 'binary') return { fault: 'the property ackTopic: a text or JSON is expected' };
  const ackIdText = own('ackId');
  const ackId = ackIdText === undefined ? undefined : parseSelector(ackIdText).selector;
  if (ackIdText !== undefined && (ackId?.kind !== 'json' || !templates.payload?.names.has('id'))) {
    return { fault: 'the property ackId: a JSON pointer is expected, and a payload with {id} in it' };
  }
  return {
    settings: {
      address,
      datatype: point.datatype,
      qos: Number(qos) as 0 | 1 | 2,
      retain,
      payload: templates.payload,
      on: own('on'),
      off: own('off'),
      ack: ack?.address,
      ackId: ackId?.kind === 'json' ? ackId.path : undefined,
      ackExpect: templates.ackExpect,
    },
  };
}
