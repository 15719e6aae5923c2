// The declaration of the MQTT stack.
import { defineStack, type Point } from '@telltale/stack-kit';
import { addressRegex } from './address.ts';
import { checkConnector, checkProvider } from './check-variables.ts';
import { commandProperties, readCommand } from './command-settings.ts';
import { connectorVariables } from './connector-variables.ts';
import { measurementDefaults, measurementProperties, readMeasurement } from './measurement-settings.ts';
import { providerVariables } from './provider-variables.ts';
import { isMetricAddress, parseMetricAddress } from './sparkplug/metric-address.ts';
import { servedFault } from './sparkplug/served-metric.ts';

const pointOf = ({ datatype, rawDatatype, properties = {} }: Point) => ({
  datatype: rawDatatype ?? datatype,
  properties,
});

const checkServed = (address: string, { properties }: Point) => servedFault({ address, properties });

const addressForms =
  'A `#` cannot stand in a topic, so that what follows the first one which is not the wildcard is about the payload: ' +
  'nothing: the payload as it is, a text or a number; `#/a/b`: that part of a JSON payload, as a JSON pointer (RFC ' +
  '6901; a position in an array is a number from 0 on); `#$.a.b[0]`: the same as a JSON path; `#float32le@4`: a binary ' +
  'number (int8, uint8, int16 … uint64, float32, float64; be, the default, or le; @ the byte at which it begins).';

const metricForm =
  '`spBv1.0/group/node#metric` and `spBv1.0/group/node/device#metric` are metrics of a Sparkplug B edge node or one of ' +
  'its devices; no properties.';

export default defineStack({
  name: 'mqtt',
  title: 'MQTT',
  description:
    'Reads topics of an MQTT broker, versions 3.1.1 and 5, and publishes commands. Its provider publishes points to ' +
    'topics, or is a Sparkplug B edge node; the connector reads such edge nodes as well.',
  connector: {
    load: () => import('./connector.ts'),
    variables: connectorVariables,
    check: checkConnector,
    measurement: {
      regex: addressRegex,
      doc: [
        `A topic, with the wildcards + and # where the newest message of any topic that matches counts. ${addressForms}`,
        measurementProperties,
        metricForm,
      ].join('\n\n'),
      examples: [
        { address: 'plant/tank1/level', meaning: 'the payload is the value' },
        { address: 'plant/tank1#/values/level', meaning: 'level, in the member values of a JSON payload' },
        { address: 'plant/tank1#$.values[0].level', meaning: 'the same as a JSON path, of the first of an array' },
        { address: 'plant/+/level#/value', meaning: 'the newest value of any tank' },
        { address: 'plant/##/alarm/text', meaning: 'alarm/text of the newest message below plant' },
        { address: 'meter/7/frame#float32le@4', meaning: 'four bytes from the fifth on, the least first' },
        { address: '$share/telltale/plant/tank2/level', meaning: 'a subscription shared with others of that group' },
        { address: 'spBv1.0/Plant/Gateway/Well 1#Flow', meaning: 'a metric of a Sparkplug device' },
      ],
      check: (address, point) =>
        isMetricAddress(address)
          ? parseMetricAddress(address).fault
          : readMeasurement(address, pointOf(point), measurementDefaults).fault,
    },
    command: {
      regex: addressRegex,
      doc: [
        `The topic that is published to. ${addressForms} A command with a JSON part publishes an object that has the value there and nothing else.`,
        commandProperties,
        metricForm,
      ].join('\n\n'),
      examples: [
        { address: 'plant/pump1/start', meaning: 'the payload is the value: 1 or 0' },
        { address: 'plant/pump1/set#/speed', meaning: 'the payload is {"speed": value}' },
        { address: 'meter/7/limit#uint16', meaning: 'the payload is two bytes, the most significant first' },
        { address: 'spBv1.0/Plant/Gateway/Well 1#Speed', meaning: 'a metric of a Sparkplug device, by DCMD' },
      ],
      check: (address, point) =>
        isMetricAddress(address)
          ? parseMetricAddress(address).fault
          : readCommand(address, pointOf(point), { qos: '1', retain: false }).fault,
    },
  },
  provider: {
    load: () => import('./provider.ts'),
    variables: providerVariables,
    check: checkProvider,
    measurement: {
      regex: addressRegex,
      doc: 'The topic, or what the variable `topic` makes a topic of. With sparkplug `device#metric`, or the name of the metric alone: then the property `device` says which device has it, and without that the edge node itself does.',
      examples: [
        { address: 'plant/tank1/level', meaning: 'published to plant/tank1/level' },
        { address: 'Well 2#Flow', meaning: 'with sparkplug: the metric Flow of the device Well 2' },
      ],
      check: checkServed,
    },
    command: {
      regex: addressRegex,
      doc: 'As of a measurement. The value is published as a measurement’s is; it is written at `commandTopic`, or by NCMD and DCMD of sparkplug.',
      examples: [{ address: 'plant/pump1/speed', meaning: 'written at plant/pump1/speed/set' }],
      check: checkServed,
    },
  },
});
