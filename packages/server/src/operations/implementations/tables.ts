// Implements the operations on tables of the configuration.
import { csvType, type Family, xlsxType } from '@telltale/schema';
import type { AskableConfiguration } from '../../cfgdb/index.ts';
import type { FileReply } from '../replies.ts';
import type { Asked, AskedWithBody, Implementations } from './implementation.ts';
import { changing } from './noted-changes.ts';
import { renderingOf } from './rendering-input.ts';

interface GetInput {
  readonly names?: string[];
  readonly columns?: string;
  readonly format?: 'csv' | 'xlsx';
}

const types = { csv: csvType, xlsx: xlsxType } as const;

interface PutInput {
  readonly 'dry-run'?: boolean;
  readonly render?: boolean;
  readonly comment?: string;
  readonly 'delete-missing'?: boolean;
}

export function tables(cfgdb: AskableConfiguration) {
  const get =
    (family: Family) =>
    async ({ names, columns, format }: GetInput, { type, caller }: Asked): Promise<FileReply> => {
      const chosen = format ?? (type === xlsxType ? 'xlsx' : 'csv');
      const file = await cfgdb
        .as(caller)
        .call('table', family, { format: chosen, names, columns: columns?.split(',') });
      return { file, type: types[chosen], filename: `${family}.${chosen}` };
    };
  const put = (family: Family) => (input: PutInput, asked: AskedWithBody) => {
    const { 'dry-run': dryRun = false, 'delete-missing': deleteMissing = false } = input;
    const options = { dryRun, deleteMissing, ...renderingOf(input) };
    return changing(cfgdb, asked, input.comment).call('putTable', family, asked.whole, options, asked.caller.author);
  };
  return {
    getAlarmTable: get('alarms'),
    putAlarmTable: put('alarms'),
    getCommandTable: get('commands'),
    putCommandTable: put('commands'),
    getMeasurementTable: get('measurements'),
    putMeasurementTable: put('measurements'),
    getConnectorTable: get('connectors'),
    putConnectorTable: put('connectors'),
    getProviderTable: get('providers'),
    putProviderTable: put('providers'),
    getFunctionModuleTable: get('function-modules'),
    putFunctionModuleTable: put('function-modules'),
    getPictureTable: get('pictures'),
    putPictureTable: put('pictures'),
    getTrendTable: get('trends'),
    putTrendTable: put('trends'),
  } satisfies Partial<Implementations>;
}
