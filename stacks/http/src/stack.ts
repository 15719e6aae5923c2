// The declaration of the HTTP stack: a connector that polls JSON, and a provider that Prometheus scrapes.
import { defineStack } from '@telltale/stack-kit';
import { checkCommand, checkMeasurement, commandRegex, measurementRegex } from './address.ts';
import { checkConnectorVariables, connectorVariables } from './connector-variables.ts';
import { checkMetric, metricRegex } from './metric-address.ts';
import { checkProviderVariables, providerVariables } from './provider-variables.ts';

const metricExamples = [
  { address: 'tank_level_metres{tank="1"}', meaning: 'a gauge with a label' },
  { address: 'pump_state', meaning: 'a gauge, or of a text the info metric pump_state_info{value="running"}' },
];
const metricDoc =
  'The name of a metric, with labels in braces or without, as Prometheus writes it. Numbers are gauges; with the ' +
  'property `metricType` of `counter` they are counters, and their names end with `_total`. Booleans are 0 and 1. Texts ' +
  'are info metrics: `_info` is added to the name, and the label `value` has the text. The property `help` is the help ' +
  'text of the metric; by default, if there are no labels, the description of the point.';

export default defineStack({
  name: 'http',
  title: 'HTTP and JSON',
  description:
    'Polls values in JSON from a server, and writes commands by PUT, POST or PATCH. Its provider is a Prometheus ' +
    'exporter for chosen points.',
  connector: {
    load: () => import('./connector.ts'),
    variables: connectorVariables,
    check: checkConnectorVariables,
    measurement: {
      regex: measurementRegex,
      doc:
        'A path of the server, relative to `baseUrl`, with an optional query; then `#` and a JSON pointer (RFC 6901) to the ' +
        'value in the answer: a step begins with `/`, elements of arrays are counted from 0, and in names `~1` stands ' +
        'for `/` and `~0` for `~`. Without `#`, the whole answer is the value. All points with the same path and scan ' +
        'period share one request.\n\n' +
        'Properties: `scanPeriod` (milliseconds); `timePointer`, `qualityPointer`: JSON pointers into the same answer, ' +
        'to the time of the value and to its quality.',
      examples: [
        { address: '/api/status#/pump/1/speed', meaning: 'the speed of {"pump": [{…}, {"speed": 1450}]}' },
        { address: '/api/read?tag=level#/value', meaning: 'a path with a query' },
        { address: '/temperature', meaning: 'the whole answer is the value, such as 21.5' },
      ],
      check: checkMeasurement,
    },
    command: {
      regex: commandRegex,
      doc:
        'A method (PUT, POST or PATCH) and a path of the server, relative to `baseUrl`; then `#` and a JSON pointer to the ' +
        'value in the body: `PUT /api/pump#/setpoint/speed` sends `{"setpoint":{"speed":1450}}`. Without `#`, the ' +
        'value is the whole body; `{value}` in the path is replaced by the value, and then the body is empty.\n\n' +
        'Properties: `body`, a text in which `{value}` is replaced by the value as JSON; `contentType`, by default ' +
        '`application/json`.',
      examples: [
        { address: 'PUT /api/pump/1#/speed', meaning: 'sends {"speed":1450}' },
        { address: 'POST /api/valve/open', meaning: 'sends true' },
        { address: 'POST /api/set?tag=level&value={value}', meaning: 'the value is in the query' },
      ],
      check: checkCommand,
    },
  },
  provider: {
    load: () => import('./provider.ts'),
    variables: providerVariables,
    check: checkProviderVariables,
    measurement: { regex: metricRegex, doc: metricDoc, examples: metricExamples, check: checkMetric },
    command: {
      regex: metricRegex,
      doc: `${metricDoc} A command is exported with the value last written. This provider accepts no writes.`,
      examples: [{ address: 'pump_speed_setpoint{pump="1"}', meaning: 'what was last written' }],
      check: checkMetric,
    },
  },
});
