// Promises of the catalogue of operations, as programs read it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checker, declarationOf, operationNames } from '@telltale/schema';
import { service } from './service.ts';

const parts = {
  metricsText: () => Promise.resolve(''),
  unavailable: () => undefined,
  diskFailure: () => undefined,
  warnings: () => [],
  degraded: () => [],
  isStandby: () => false,
  settings: {},
  paths: { data: '/plant', config: '/config/v2', access: '/access' },
  page: { version: undefined, index: () => assert.fail(), asset: () => assert.fail() },
  documents: { openApi: () => Buffer.alloc(0), reference: async () => Buffer.alloc(0), page: async () => undefined },
};

interface Listed {
  readonly effect: { readonly action: string; readonly resource: string };
  readonly input: { readonly properties: object; readonly required?: readonly string[] };
  readonly output?: object;
  readonly http?: { readonly method: string; readonly path: string };
  readonly channel: readonly string[];
}

const list = () => {
  const { listOperations } = service(parts);
  return JSON.parse(String(listOperations())) as Record<string, Listed>;
};

test('every operation is listed, as its own schema says', () => {
  const listed = list();
  assert.deepEqual(Object.keys(listed), operationNames);
  const { schema } = declarationOf('listOperations').http.answer;
  assert.deepEqual(checker(schema as NonNullable<typeof schema>).faults(listed), []);
});

test('an operation says what it does, what it is asked with and how', () => {
  const { writeCommand, getMeasurement, acknowledgeAlarm, watchAlarms } = list();
  assert.deepEqual(writeCommand?.effect, { action: 'write', resource: 'commands' });
  assert.deepEqual(writeCommand?.http, { method: 'PUT', path: '/plant/commands/:name' });
  assert.deepEqual(Object.keys(writeCommand?.input.properties ?? {}), ['name', 'value', 'reason']);
  assert.deepEqual([writeCommand?.input.required, writeCommand?.output], [['name', 'value'], undefined]);
  assert.ok(getMeasurement?.output !== undefined);
  assert.deepEqual([writeCommand?.channel, getMeasurement?.channel], [['WriteCommands'], []]);
  assert.deepEqual(acknowledgeAlarm?.channel, ['OperateAlarms', 'AckAlarms']);
  assert.deepEqual([watchAlarms?.http, watchAlarms?.channel], [undefined, ['WatchAlarms']]);
});
