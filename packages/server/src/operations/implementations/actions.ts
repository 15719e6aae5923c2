// Implements what was done to one point or alarm: of the audit trail, for whoever may view the object.
import {
  type ActionWord,
  type AuditRecord,
  type Clock,
  type InputOf,
  type ObjectAction,
  type ObjectActions,
  type OperationName,
  ProblemError,
  toTimestamp,
} from '@telltale/schema';
import type { LiveData, LiveKindName } from '../data/index.ts';
import { type AuditParts, momentOf } from './audit.ts';
import type { Asked, Implementations } from './implementation.ts';

export interface ActionParts extends Pick<AuditParts, 'trail'> {
  readonly data: Pick<LiveData, LiveKindName>;
  readonly clock: Clock;
}

const words: Readonly<Record<LiveKindName, Partial<Record<OperationName, ActionWord>>>> = {
  measurements: {
    simulateMeasurement: 'force',
    stopSimulation: 'release',
    putConfiguredMeasurement: 'configure',
    deleteConfiguredMeasurement: 'configure',
    renameMeasurement: 'rename',
    eraseMeasurementArchive: 'erase',
    backfillMeasurementArchive: 'import',
  },
  commands: {
    writeCommand: 'write',
    putConfiguredCommand: 'configure',
    deleteConfiguredCommand: 'configure',
    renameCommand: 'rename',
    eraseCommandArchive: 'erase',
    backfillCommandArchive: 'import',
  },
  alarms: {
    activateAlarm: 'activate',
    deactivateAlarm: 'deactivate',
    acknowledgeAlarm: 'acknowledge',
    putConfiguredAlarm: 'configure',
    deleteConfiguredAlarm: 'configure',
    renameAlarm: 'rename',
    eraseAlarmArchive: 'erase',
    eraseActiveAlarmArchive: 'erase',
  },
};

const defaultLimit = 100;
const defaultSince = -30 * 86_400;
/** Of the trail, some tens of thousands of records: reading them takes a fraction of a second. */
const mostBytes = 32 << 20;

export function actions({ trail, data, clock }: ActionParts) {
  const list =
    (kind: LiveKindName) =>
    async (
      { name, since = defaultSince, until, before, limit = defaultLimit }: InputOf<'listMeasurementActions'>,
      { caller, signal }: Asked,
    ): Promise<ObjectActions> => {
      const objects = data[kind];
      const handle = objects.find(name);
      if (handle < 0) {
        throw new ProblemError(
          'unknown-object',
          `There is no ${kind.slice(0, -1)} ${JSON.stringify(name.slice(0, 80))}.`,
        );
      }
      const { area } = objects.definitionAt(handle) ?? {};
      const isConfigurationSeen = caller.rights.on('read-config', name, area);
      const { lines, next, reached } = await trail.read(
        {
          of: { kind, name, operations: Object.keys(words[kind]) },
          since: momentOf(since, clock),
          until: momentOf(until, clock),
          before,
          limit,
          mostBytes,
          isNewestFirst: true,
        },
        undefined,
        signal(),
      );
      const records = lines.map((line) => JSON.parse(line) as AuditRecord);
      const end = reached === undefined ? records.at(-1) : (JSON.parse(reached) as AuditRecord);
      const isOver = next === undefined || end === undefined;
      return {
        actions: records.map((record) => actionOf(kind, name, record, isConfigurationSeen)),
        next: isOver ? null : end.seq,
        'back-to': isOver ? null : timeOf(end.time),
      };
    };
  return {
    listMeasurementActions: list('measurements'),
    listCommandActions: list('commands'),
    listAlarmActions: list('alarms'),
  } satisfies Partial<Implementations>;
}

function actionOf(kind: LiveKindName, name: string, record: AuditRecord, isConfigurationSeen: boolean): ObjectAction {
  const { time, who, operation, reason, approver, result } = record;
  const action = new Map(Object.entries(words[kind])).get(operation) ?? 'configure';
  const isShown = action !== 'configure' || isConfigurationSeen;
  const [before, after] = [record.old, record.new].map((side) => sideOf(`${kind}/${name}`, side));
  return {
    t: timeOf(time),
    who,
    action,
    operation,
    ...(isShown && before !== undefined && { old: before }),
    ...(isShown && after !== undefined && { new: after }),
    ...(reason !== undefined && { reason }),
    ...(approver !== undefined && { approver }),
    result: result as ObjectAction['result'],
  };
}

/** Of a change of many objects, that of this one. */
function sideOf(key: string, side: unknown): unknown {
  const { objects } = (typeof side === 'object' && side !== null ? side : {}) as { objects?: object };
  if (typeof objects !== 'object' || objects === null) return side;
  return new Map<string, unknown>(Object.entries(objects)).get(key);
}

function timeOf(iso: string) {
  return toTimestamp(Date.parse(iso) * 1000);
}
