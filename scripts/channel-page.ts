// The reference page of the channel, made from the schemas of its messages. An example that does not fit its schema fails.
import {
  type ChannelRequestFields,
  type ChannelRequestName,
  channelNotifications,
  channelRequests,
  checker,
  closeCode,
  requestSchema,
  titleOf,
} from '@telltale/schema';
import { markdownTable } from '@telltale/stack-kit';
import type { TSchema } from 'typebox';

type Described = TSchema & {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Described[];
  items?: Described;
  properties?: Record<string, Described>;
  required?: string[];
  patternProperties?: Record<string, Described>;
  description?: string;
  title?: string;
};

/** In the order of the page. */
const examples: { readonly [N in ChannelRequestName]: ChannelRequestFields<N> } = {
  Heartbeat: {},
  WatchMeasurements: { measurements: ['tank1_level', 'inlet_flow'] },
  UnwatchMeasurements: { measurements: ['inlet_flow'] },
  WatchCommands: { commands: 'all' },
  UnwatchCommands: { commands: 'all' },
  WatchAlarms: { alarms: 'all' },
  UnwatchAlarms: { alarms: 'all' },
  WatchFunctionModules: { function_modules: 'all' },
  UnwatchFunctionModules: { function_modules: 'all' },
  WatchFunctionModuleLogs: { function_modules: ['level_controller'] },
  UnwatchFunctionModuleLogs: { function_modules: 'all' },
  WatchConnectors: { connectors: 'all' },
  UnwatchConnectors: { connectors: 'all' },
  WatchProviders: { providers: 'all' },
  UnwatchProviders: { providers: 'all' },
  WriteCommands: { writes: [{ name: 'pump1_start', value: 'b1' }] },
  SimulateMeasurements: { simulations: [{ name: 'tank1_level', value: 'd4.8', 'valid-for': 600 }] },
  StopSimulation: { measurements: ['tank1_level'] },
  ReadSimulations: {},
  ReadAreas: {},
  ReadOverview: {},
  ReadMeasurements: { names: ['tank1_level'], fields: ['vtq'] },
  ReadCommands: { names: ['pump1_start'] },
  ReadAlarms: { fields: ['state', 't'] },
  ReadConnectors: { fields: ['state', 'last-error'] },
  ReadProviders: { names: ['telecontrol'] },
  ReadFunctionModules: { fields: ['state', 'cpu'] },
  ExplainMeasurement: { name: 'tank1_level' },
  ExplainCommand: { name: 'pump1_start' },
  BrowseConnector: { name: 'waterworks', path: 'tank1', limit: 100 },
  OperateAlarms: { operations: [{ name: 'tank1_overflowing', opcode: 'activate' }], authority: 'shift 2' },
  AckAlarms: { alarms: ['tank1_overflowing'], authority: 'shift 2' },
  ReadCertificates: { state: 'rejected' },
  OperateCertificates: { operations: [{ name: '3fa9c1'.padEnd(64, '0'), opcode: 'trust' }] },
  OperateConnectors: {
    operations: [{ name: 'waterworks', opcode: 'disable', reason: 'the pump is being replaced' }],
    authority: 'shift 2',
  },
  OperateProviders: { operations: [{ name: 'telecontrol', opcode: 'restart' }] },
  OperateFunctionModules: { operations: [{ name: 'level_controller', opcode: 'restart' }] },
  ReadDatabase: { select: { measurements: ['tank1_level'], alarms: 'all' } },
  ReadArchive: { archive: 'measurements', name: 'tank1_level', t_since: -3600, t_until: 0, resample: 60 },
  EraseArchive: { archive: 'measurements', name: 'tank1_level', t_since: 1700000000, t_until: 1700003600 },
  AnswerQuery: { query_id: 12, status: 'all is well' },
};

const closings: Record<keyof typeof closeCode, string> = {
  goingAway: 'The service is stopping. Connect again later.',
  unsupportedData: 'A binary message. Send one JSON text a message.',
  invalidText: 'A text that is not UTF-8.',
  tokenRevoked: 'The session or token with which the client connected has ended.',
  messageTooBig: 'A message longer than `--max-message-size`.',
  tryAgainLater: 'The client took nothing for 30 s, or let too much wait that may not be dropped. Connect again.',
  rightsChanged: 'What the client may view of the plant has changed. Connect again, and watch again.',
};

export function channelPage(): string[] {
  return [
    'One WebSocket at `ws://127.0.0.1:8080/data/ws`, one JSON object a text message. A request has a `request` and an ' +
      '`id`, a whole number or a text of at most 64 characters; its answer carries the id as `request_id`, and `result`: ' +
      'whether all of it was carried out. Where it was not, `error` is a [problem](problems.md). Unasked, the service ' +
      'sends notifications of what is watched. How to use it: [The channel](../guides/channel.md).',
    '## Requests',
    ...(Object.keys(examples) as ChannelRequestName[]).map(requestSection),
    '## Notifications',
    ...channelNotifications.map((type) => notificationSection(type as unknown as Described)),
    '## Close codes',
    markdownTable(
      ['Code', 'Why'],
      Object.entries(closeCode).map(([name, code]) => [String(code), closings[name as keyof typeof closeCode]]),
    ),
    'Frames that break the WebSocket protocol are answered by 1002. A client that says nothing for 30 s, not even a pong, ' +
      'is taken for dead and cut off.',
  ];
}

function requestSection(name: ChannelRequestName): string {
  const declaration = channelRequests[name];
  const message = { request: name, id: 7, ...examples[name] };
  const [fault] = checker(requestSchema(name)).faults(message);
  if (fault !== undefined) throw new Error(`the example of ${name} does not fit: ${fault.path} ${fault.message}`);
  const { properties = {}, required = [] } = requestSchema(name) as unknown as Described;
  const fields = Object.entries(properties).filter(([field]) => field !== 'request' && field !== 'id');
  const answer = Object.entries(declaration.answer ?? {}) as [string, Described][];
  const more = [
    ...answer.map(([field, type]) => `\`${field}\`: ${typeInWords(type)}`),
    ...(declaration.batch
      ? [
          `\`results\`${name.startsWith('Watch') ? ', where a name is unknown' : ''}: what became of each item, with \`name\`, \`result\` and \`error\``,
        ]
      : []),
  ];
  return [
    `### ${name}`,
    declaration.summary,
    ...(fields.length === 0 ? [] : [fieldTable(fields, required)]),
    ...(more.length === 0 ? [] : [`The answer has ${more.join('; ')}.`]),
    `\`\`\`json\n${JSON.stringify(message)}\n\`\`\``,
  ].join('\n\n');
}

function notificationSection(type: Described): string {
  const [list, of] = Object.entries(type.properties ?? {}).find(([, each]) => each.type === 'array') ?? ['', type];
  const item = of.items ?? type;
  const skipped = type.properties?.skipped?.description;
  return [
    `### ${titleOf(type as Parameters<typeof titleOf>[0])}`,
    `\`${list}\` is a list of these:`,
    fieldTable(Object.entries(item.properties ?? {}), item.required ?? []),
    ...(skipped === undefined ? [] : [`\`skipped\`, where there is one: ${skipped}`]),
  ].join('\n\n');
}

function fieldTable(fields: [string, Described][], required: readonly string[]): string {
  const rows = fields.map(([field, type]) => [
    `\`${field}\``,
    typeInWords(type),
    required.includes(field) ? 'yes' : '',
    type.description ?? '',
  ]);
  return markdownTable(['Field', 'Type', 'Required', 'Meaning'], rows);
}

function typeInWords(type: Described): string {
  if (type.const !== undefined) return `\`${JSON.stringify(type.const)}\``;
  if (type.enum !== undefined) return type.enum.map((word) => `\`${word}\``).join(', ');
  if (type.anyOf !== undefined) return type.anyOf.map(typeInWords).join(' or ');
  if (type.title !== undefined) return type.title;
  if (type.patternProperties !== undefined)
    return `map from name to ${typeInWords(Object.values(type.patternProperties)[0] ?? type)}`;
  if (type.type === 'array')
    return Array.isArray(type.items) || type.items === undefined ? 'array' : `list of ${typeInWords(type.items)}`;
  if (type.type !== 'object' || type.properties === undefined) return type.type ?? 'any';
  const fields = Object.keys(type.properties).map((field) => (type.required?.includes(field) ? field : `${field}?`));
  return `object of ${fields.join(', ')}`;
}
