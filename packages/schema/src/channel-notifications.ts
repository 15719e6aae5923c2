// The notifications that the service sends to clients of the channel. One JSON text per message.
import Type, { type Static, type TSchema } from 'typebox';
import { closed, strict } from './closed.ts';
import { titleOf } from './configuration.ts';
import { AlarmState, LiveAlarm, Vt, Vtq } from './data-access.ts';
import { InstanceState } from './diagnostics.ts';
import { FunctionModuleStatus, LogLine } from './function-modules.ts';
import { Identifier } from './wire-schemas.ts';

const Removed = Type.Optional(Type.Literal(true, { description: 'The object is no longer configured.' }));

const Left = Type.Optional(
  Type.Literal(true, {
    description: 'The object no longer matches the selector: no change of it follows until it does.',
  }),
);

const Selection = Type.Optional(
  Type.Integer({ minimum: 1, description: 'The watch by selector that this is of, by the number of its answer.' }),
);

const Skipped = Type.Optional(
  Type.Integer({ minimum: 1, description: 'How many updates were passed over because the client does not keep up.' }),
);

const notification = <const Name extends string, const Fields extends Record<string, TSchema>>(
  name: Name,
  fields: Fields,
) => Type.Object({ notification: Type.Literal(name), ...fields }, strict(name));

export const MeasurementUpdateNotification = notification('MeasurementUpdateNotification', {
  updates: Type.Array(Type.Object({ name: Identifier, vtq: Vtq, removed: Removed, left: Left }, closed)),
  selection: Selection,
  skipped: Skipped,
});
export type MeasurementUpdateNotification = Static<typeof MeasurementUpdateNotification>;

export const CommandUpdateNotification = notification('CommandUpdateNotification', {
  updates: Type.Array(Type.Object({ name: Identifier, vt: Vt, removed: Removed, left: Left }, closed)),
  selection: Selection,
});
export type CommandUpdateNotification = Static<typeof CommandUpdateNotification>;

export const AlarmStateChangeNotification = notification('AlarmStateChangeNotification', {
  changes: Type.Array(
    Type.Object({ ...LiveAlarm.properties, state: AlarmState, removed: Removed, left: Left }, closed),
  ),
  selection: Selection,
});
export type AlarmStateChangeNotification = Static<typeof AlarmStateChangeNotification>;

export const FunctionModuleUpdateNotification = notification('FunctionModuleUpdateNotification', {
  updates: Type.Array(Type.Object({ ...FunctionModuleStatus.properties, removed: Removed }, closed)),
});
export type FunctionModuleUpdateNotification = Static<typeof FunctionModuleUpdateNotification>;

export const FunctionModuleLogNotification = notification('FunctionModuleLogNotification', {
  lines: Type.Array(Type.Object({ name: Identifier, ...LogLine.properties }, closed)),
  skipped: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'How many lines before these are left out because they came faster than they could be sent.',
    }),
  ),
});
export type FunctionModuleLogNotification = Static<typeof FunctionModuleLogNotification>;

export const FunctionModuleQuery = notification('FunctionModuleQuery', {
  query_id: Type.Integer({ description: 'To be answered with AnswerQuery, within the queryTimeout of the module.' }),
});
export type FunctionModuleQuery = Static<typeof FunctionModuleQuery>;

const stateUpdates = {
  updates: Type.Array(Type.Object({ ...InstanceState.properties, removed: Removed }, closed)),
};

export const ConnectorUpdateNotification = notification('ConnectorUpdateNotification', stateUpdates);
export type ConnectorUpdateNotification = Static<typeof ConnectorUpdateNotification>;

export const ProviderUpdateNotification = notification('ProviderUpdateNotification', stateUpdates);
export type ProviderUpdateNotification = Static<typeof ProviderUpdateNotification>;

export const channelNotifications = [
  MeasurementUpdateNotification,
  CommandUpdateNotification,
  AlarmStateChangeNotification,
  FunctionModuleUpdateNotification,
  FunctionModuleLogNotification,
  FunctionModuleQuery,
  ConnectorUpdateNotification,
  ProviderUpdateNotification,
] as const;

export type ChannelNotification = Static<(typeof channelNotifications)[number]>;

export const notificationNames = channelNotifications.map(titleOf);
