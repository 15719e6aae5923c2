// The declaration of the OPC UA stack. The library behind it is large: only the modules that `load` names bring it.
import { checkScanPeriod, defineStack, type Point } from '@telltale/stack-kit';
import { parseConditionAddress } from './condition-address.ts';
import { checkSettings } from './item-settings.ts';
import { checkArguments } from './method-template.ts';
import { addressRegex, parseAddress } from './node-address.ts';
import { checkServedType } from './served-types.ts';
import { checkConnector, checkProvider, connectorVariables, providerVariables } from './variables.ts';

const nodeDoc =
  'A node as `ns=2;s=Tank1.Level`, or with the URI of its namespace as `nsu=http://example.com/plant;s=Tank1.Level`: ' +
  'the index of a namespace may change when the server restarts, its URI does not. `i=` is a number, `s=` a text, `g=` a ' +
  'GUID, `b=` Base64. The suffix `;[3]` selects an element of an array, counted from 0, `;[1,2]` one of a matrix. Without ' +
  'the semicolon brackets belong to the text: controllers have nodes such as `s="Data"."Level"[3]`. ' +
  'Behind `#` is a path to a part of a structure or an array, such as `#State.Speed`, `#Currents[2]` or `#[1].State`; ' +
  'points with paths of one node share a monitored item. A `#` of the text itself is written `##`.';

const examples = [
  { address: 'ns=2;s=Tank1.Level', meaning: 'a node with a text identifier' },
  { address: 'ns=4;i=1017', meaning: 'a node with a numeric identifier' },
  { address: 'nsu=http://example.com/plant;s=Tank1.Level', meaning: 'the namespace by its URI' },
  { address: 'ns=2;s=Tank1.Temperatures;[3]', meaning: 'the fourth element of an array' },
  { address: 'ns=2;s=Motor1#State.Currents[2]', meaning: 'the third element of an array in a structure' },
  { address: 'ns=3;s="Data"."Level"[3]', meaning: 'a node whose own text has brackets' },
  { address: 'i=2258', meaning: 'the time of the server, in the namespace of OPC UA' },
];

function checkRead(address: string): string | undefined {
  const parsed = parseAddress(address);
  if (typeof parsed === 'string') return parsed;
  return parsed.isMethod ? '#() is a method, which is called by a command: it is no measurement' : undefined;
}

function checkWritten(address: string, { properties = {} }: Pick<Point, 'properties'>): string | undefined {
  const parsed = parseAddress(address);
  if (typeof parsed === 'string') return parsed;
  if (!parsed.isMethod) return undefined;
  const object = Object.hasOwn(properties, 'object') ? parseAddress(properties.object ?? '') : undefined;
  return typeof object === 'string' ? `the property object: ${object}` : checkArguments(properties);
}

const partDoc =
  ' A part of a structure is written by reading the whole, changing the part, and writing the whole back: what others change at the ' +
  'server in between is lost.';

const methodDoc =
  ' `#()` behind a method calls it: with the value where it takes one argument, without where it takes none (then false, 0 and the ' +
  'empty text are refused). The property `arguments` is a JSON array of all arguments, such as `["$value", 5, "fast"]`; the ' +
  'property `object` names the object where several have the method.';

function checkCondition(address: string): string | undefined {
  const parsed = parseConditionAddress(address);
  return typeof parsed === 'string' ? parsed : undefined;
}

const conditionDoc =
  'The node of a condition, as `ns=2;s=Tank1.High`; or its source and, behind a `#`, the name of the condition, as ' +
  '`ns=2;s=Tank1.Level#High`, for servers that do not show conditions as nodes. The alarm follows the condition: active, ' +
  'acknowledged, its time and its message.';

const servedRegex = '^[^\\u0000-\\u001f]{1,512}$';
const servedDoc =
  'The text of the node: `Tank1.Level` is served as `ns=2;s=Tank1.Level`, in the namespace of the provider. The property ' +
  '`folder` of the point, such as `Site/Tank 1`, is its path of folders below `Objects`. The property `type`, such as `Int16` or ' +
  '`Enumeration`, is its type, where it is not that of the datatype; an enumeration has the names of its states in the property ' +
  '`enumStrings`, such as `Off,On,Fault`.';

export default defineStack({
  name: 'opcua',
  title: 'OPC UA',
  description:
    'A client of OPC UA servers with subscriptions, and a server of the live points with their qualities and times, ' +
    'commands and alarms. Encrypted and authenticated by default.',
  connector: {
    load: () => import('./connector.ts'),
    variables: connectorVariables,
    check: checkConnector,
    measurement: {
      regex: addressRegex,
      doc: nodeDoc,
      examples,
      check: (address, point) => checkRead(address) ?? checkSettings(point.properties) ?? checkScanPeriod(point),
    },
    command: {
      regex: addressRegex,
      doc: nodeDoc + partDoc + methodDoc,
      examples: [
        ...examples.filter(({ address }) => checkWritten(address, {}) === undefined).slice(0, 6),
        { address: 'ns=2;s=Pump1.Start#()', meaning: 'a method that is called' },
      ],
      check: checkWritten,
    },
    alarm: {
      regex: addressRegex,
      doc: conditionDoc,
      examples: [
        { address: 'ns=2;s=Tank1.High', meaning: 'a condition by its own node' },
        { address: 'ns=2;s=Tank1.Level#High', meaning: 'the condition High of a source' },
        { address: 'nsu=http://example.com/plant;s=Tank1.Level#High', meaning: 'the namespace by its URI' },
      ],
      check: checkCondition,
    },
  },
  provider: {
    load: () => import('./provider.ts'),
    variables: providerVariables,
    check: checkProvider,
    measurement: {
      regex: servedRegex,
      doc: servedDoc,
      examples: [{ address: 'Tank1.Level', meaning: 'served as ns=2;s=Tank1.Level' }],
      check: (_address, point) => checkServedType(point),
    },
    command: {
      regex: servedRegex,
      doc: `${servedDoc} A client that writes the node writes the command.`,
      examples: [{ address: 'Pump1.Start', meaning: 'written as ns=2;s=Pump1.Start' }],
      check: (_address, point) => checkServedType(point),
    },
  },
});
