// The declaration of the MQTT stack.
import { defineStack, type Point, propertyOf } from '@telltale/stack-kit';
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

function checkServed(address: string, point: Point): string | undefined {
  const forward = propertyOf(point, 'forward');
  if (forward !== undefined && forward !== 'true' && forward !== 'false') {
    return `the property forward is ${JSON.stringify(forward)}: true or false is expected`;
  }
  return servedFault({ address, properties: point.properties });
}

function checkServedCommand(address: string, point: Point): string | undefined {
  if (propertyOf(point, 'part') !== undefined) {
    return 'commands cannot be elements of arrays or cells of data sets: leave out the property part';
  }
  return checkServed(address, point);
}

const addressForms =
  'A topic cannot contain `#` but as a wildcard, so the first other `#` selects a part of the payload. Without it: the ' +
  'whole payload, as text or number. `#/a/b`: a part of a JSON payload by JSON pointer (RFC 6901; elements of arrays are ' +
  'counted from 0). `#$.a.b[0]`: the same by JSON path. `#float32le@4`: a binary number (int8, uint8, int16 … uint64, ' +
  'float32, float64; be, the default, or le; after @ the offset of its first byte).';

const metricForm =
  '`spBv1.0/group/node#metric` and `spBv1.0/group/node/device#metric` are metrics of a Sparkplug B edge node or one of ' +
  'its devices. Behind the metric, `/member` is a member of a template instance, `[3]` an element of an array, `[0]/column` a cell ' +
  'of a data set, and `@name` a property. They have no properties of their own.';

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
        `A topic, which may have the wildcards + and #: the newest message of any matching topic counts. ${addressForms}`,
        measurementProperties,
        metricForm,
      ].join('\n\n'),
      examples: [
        { address: 'plant/tank1/level', meaning: 'the payload is the value' },
        { address: 'plant/tank1#/values/level', meaning: 'the member level of values in a JSON payload' },
        { address: 'plant/tank1#$.values[0].level', meaning: 'by JSON path, in the first element of an array' },
        { address: 'plant/+/level#/value', meaning: 'the newest value of any tank' },
        { address: 'plant/##/alarm/text', meaning: 'alarm/text of the newest message below plant' },
        { address: 'meter/7/frame#float32le@4', meaning: 'four bytes from offset 4, little-endian' },
        { address: '$share/telltale/plant/tank2/level', meaning: 'a subscription shared with others of that group' },
        { address: 'spBv1.0/Plant/Gateway/Well 1#Flow', meaning: 'a metric of a Sparkplug device' },
        {
          address: 'spBv1.0/Plant/Gateway/Well 1#Pump/Speed',
          meaning: 'or the member Speed of the template instance Pump',
        },
        { address: 'spBv1.0/Plant/Gateway/Well 1#Profile[3]', meaning: 'the fourth element of an array' },
        { address: 'spBv1.0/Plant/Gateway/Well 1#Flow@engUnit', meaning: 'a property of a metric' },
      ],
      check: (address, point) =>
        isMetricAddress(address)
          ? parseMetricAddress(address).fault
          : readMeasurement(address, pointOf(point), measurementDefaults).fault,
    },
    command: {
      regex: addressRegex,
      doc: [
        `The topic to publish to. ${addressForms} A command with a JSON part publishes an object with only the value in it.`,
        commandProperties,
        metricForm,
      ].join('\n\n'),
      examples: [
        { address: 'plant/pump1/start', meaning: 'the payload is the value: 1 or 0' },
        { address: 'plant/pump1/set#/speed', meaning: 'the payload is {"speed": value}' },
        { address: 'meter/7/limit#uint16', meaning: 'the payload is two bytes, big-endian' },
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
      doc: 'The topic, or the `{address}` in the variable `topic`. With sparkplug: `device#metric`, or the name of the metric alone, which then belongs to the device in the property `device`, or else to the edge node itself. With the property `template`, `instance/member` is a member of an instance of that template. With the property `part` set to `element`, `array[2]` is an element of an array, counted from 0; set to `cell`, `data set[0]/column` is a cell of a data set. With the property `forward` set to `true`, values of an outage are published afterwards; with sparkplug they always are, but for elements and cells.',
      examples: [
        { address: 'plant/tank1/level', meaning: 'published to plant/tank1/level' },
        { address: 'Well 2#Flow', meaning: 'with sparkplug: the metric Flow of the device Well 2' },
        { address: 'Well 2#Currents[0]', meaning: 'with sparkplug and part element: the first element of Currents' },
      ],
      check: checkServed,
    },
    command: {
      regex: addressRegex,
      doc: 'As for measurements, without elements and cells. The value is published like that of a measurement. Clients write it at `commandTopic`, or with sparkplug by NCMD and DCMD.',
      examples: [{ address: 'plant/pump1/speed', meaning: 'written at plant/pump1/speed/set' }],
      check: checkServedCommand,
    },
  },
});
