// Operations on tables: a family of the configuration as CSV or as a workbook (XLSX).
import Type from 'typebox';
import { type Family, familyTitles } from '../families.ts';
import { bytesType, csvType, xlsxType } from '../media-types.ts';
import { TableResult } from '../table.ts';
import { flag, names, ofRendering, rendering } from './inputs.ts';
import { changes, type DeclaredOperation, declare, json, reads } from './operation.ts';

type Title = (typeof familyTitles)[Family];
type Operations = ReturnType<typeof operationsOf>;
type Named<T extends Title> = Readonly<
  Record<`get${T}Table`, Operations['get']> & Record<`put${T}Table`, Operations['put']>
>;

export const tableOperations = {
  ...named('alarms', '/config/v2/tables/alarms'),
  ...named('commands', '/config/v2/tables/commands'),
  ...named('measurements', '/config/v2/tables/measurements'),
  ...named('connectors', '/config/v2/tables/connectors'),
  ...named('providers', '/config/v2/tables/providers'),
  ...named('function-modules', '/config/v2/tables/function-modules'),
  ...named('pictures', '/config/v2/tables/pictures'),
  ...named('trends', '/config/v2/tables/trends'),
};

function named<F extends Family>(family: F, path: string): Named<(typeof familyTitles)[F]> {
  const operations = operationsOf(family, path);
  const title = familyTitles[family];
  const all: Record<string, DeclaredOperation> = {
    [`get${title}Table`]: operations.get,
    [`put${title}Table`]: operations.put,
  };
  return all as Named<(typeof familyTitles)[F]>;
}

function operationsOf(family: Family, path: string) {
  const many = family.replace('-', ' ');
  const subject = { tag: 'Configuration: tables', resource: 'configuration' } as const;
  return {
    get: declare({
      ...reads(subject, 'read-config'),
      summary: `Get all configured ${many} as a table, or the named ones: a row each, a column for each field and key of a map`,
      input: {
        ...names,
        columns: Type.Optional(
          Type.String({
            description:
              'Only these columns, comma-separated, behind the name: fields, and keys of maps such as vars.host; a map ' +
              'alone is all of its keys.',
          }),
        ),
        format: Type.Optional(
          Type.Enum(['csv', 'xlsx'], { type: 'string', description: 'Instead of the Accept header.' }),
        ),
      },
      problems: ['table-too-large', 'not-acceptable'],
      http: {
        method: 'GET',
        path,
        answer: { status: 200, description: 'The table.', type: csvType, otherTypes: [xlsxType] },
      },
    }),
    put: declare({
      ...changes(subject, 'configure', 'configure'),
      summary:
        `Change ${many} as a table says, all rows or none: a row sets the fields that the table has columns for; an empty ` +
        'cell is not set; a new name is a new object',
      input: {
        'dry-run': flag('Change nothing, and list what would change.'),
        ...rendering,
        'delete-missing': flag(`Delete the ${many} that the table does not have.`),
      },
      problems: [
        'malformed-csv',
        'malformed-xlsx',
        'invalid-table',
        'table-too-large',
        'operation-failed',
        ...ofRendering,
        'storage-failed',
      ],
      http: {
        method: 'PUT',
        path,
        body: { types: [csvType, xlsxType, bytesType], isWhole: true, limit: 'max-json-size' },
        answer: json('What has changed, on disk.', TableResult),
      },
    }),
  };
}
