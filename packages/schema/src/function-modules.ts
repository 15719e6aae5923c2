// Function modules on the wire: version 1.
import Type, { type Static, type TSchema } from 'typebox';
import { strict } from './closed.ts';
import { LastError } from './diagnostics.ts';
import { Identifier, Timestamp } from './wire-schemas.ts';

const orNull = <const Schema extends TSchema>(type: Schema, description: string) =>
  Type.Union([type, Type.Null()], { description });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const FunctionModuleState = Type.Enum(['STOP', 'INIT', 'RUN', 'FAIL'], {
  type: 'string',
  description:
    'STOP: it does not run; INIT: it was started and has not answered yet, or is started again in a moment; RUN: it ' +
    'runs; FAIL: it ended or fell silent, and does not come back by itself.',
});
export type FunctionModuleState = Static<typeof FunctionModuleState>;

const stateFields = {
  name: Identifier,
  state: FunctionModuleState,
  since: Timestamp,
  pid: orNull(Type.Integer({ minimum: 1 }), 'Of its first process; null while it does not run.'),
  restarts: Count('How often it was started again by itself, since the service or a person started it.'),
  'exit-code': orNull(Type.Integer(), 'Of its last end; null before the first, and where a signal ended it.'),
  'exit-signal': orNull(Type.String(), 'That ended it last, such as SIGKILL.'),
  'last-error': orNull(LastError, 'Why it failed last; null where it never did. It stays when it runs again.'),
  'next-start': orNull(Timestamp, 'When it is started next, by its times or after a pause.'),
  status: orNull(Type.String(), 'What it said of itself with its last answer to a query.'),
};

export const FunctionModuleStatus = Type.Object(stateFields, strict('FunctionModuleStatus'));
export type FunctionModuleStatus = Static<typeof FunctionModuleStatus>;

export const LiveFunctionModule = Type.Object(
  {
    ...stateFields,
    enabled: Type.Boolean(),
    'run-mode': Type.String({ description: 'As configured; service where nothing is.' }),
    cpu: orNull(Type.Number({ minimum: 0 }), 'Cores that all its processes took in the last seconds.'),
    memory: orNull(Type.Integer({ minimum: 0 }), 'Bytes of memory that all its processes have.'),
    processes: orNull(Type.Integer({ minimum: 0 }), 'How many it has.'),
  },
  strict('LiveFunctionModule'),
);
export type LiveFunctionModule = Static<typeof LiveFunctionModule>;

export const functionModuleFields = Object.keys(LiveFunctionModule.properties) as (keyof LiveFunctionModule)[];
export type FunctionModuleField = keyof LiveFunctionModule;

export const functionModuleOperations = ['start', 'stop', 'restart'] as const;
export type FunctionModuleOperation = (typeof functionModuleOperations)[number];

export const LogStream = Type.Enum(['out', 'err'], {
  type: 'string',
  description: 'out: what it wrote to its standard output; err: to its standard error.',
});
export type LogStream = Static<typeof LogStream>;

export const LogLine = Type.Object(
  { t: Timestamp, stream: LogStream, text: Type.String() },
  { ...strict('LogLine'), description: 'A line that a function module wrote, without its line break.' },
);
export type LogLine = Static<typeof LogLine>;

export const logOptions = {
  lines: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 100, description: 'The newest so many.' })),
  stream: Type.Optional(LogStream),
};
