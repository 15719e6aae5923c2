import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  answerSchema,
  type ChannelRequestFields,
  type ChannelRequestName,
  channelRequestNames,
  channelRequests,
  requestSchema,
} from './channel.ts';
import { channelNotifications, notificationNames } from './channel-notifications.ts';
import { checker } from './validate.ts';

/** One good message of every request, as decisions list its fields. */
const examples: { [N in ChannelRequestName]: ChannelRequestFields<N> } = {
  Heartbeat: {},
  WatchMeasurements: { measurements: ['level', 'flow'] },
  UnwatchMeasurements: { measurements: 'all' },
  WatchCommands: { commands: 'all' },
  UnwatchCommands: { commands: ['valve'] },
  WatchAlarms: { alarms: ['high', 'not an identifier'] },
  UnwatchAlarms: { alarms: [] },
  WatchFunctionModules: { function_modules: 'all' },
  UnwatchFunctionModules: { function_modules: ['loop'] },
  WatchFunctionModuleLogs: { function_modules: ['loop'] },
  UnwatchFunctionModuleLogs: { function_modules: 'all' },
  WatchConnectors: { connectors: ['plc'] },
  UnwatchConnectors: { connectors: 'all' },
  WatchProviders: { providers: 'all' },
  UnwatchProviders: { providers: ['scada'] },
  WriteCommands: { writes: [{ name: 'valve', value: 'd21.5' }] },
  SimulateMeasurements: {
    simulations: [
      { name: 'level', value: 'd1', quality: 64, 'valid-for': 0.5 },
      { name: 'state', value: 's' },
    ],
  },
  StopSimulation: { measurements: ['level'] },
  ReadSimulations: {},
  ReadAreas: {},
  ReadOverview: {},
  ReadMeasurements: { names: ['level'], fields: ['vtq', 'raw-datatype'] },
  ReadCommands: { fields: ['vt'] },
  ReadAlarms: {},
  ReadConnectors: { names: ['plc'], fields: ['state'] },
  ReadProviders: {},
  ReadFunctionModules: { names: ['loop'], fields: ['state', 'cpu'] },
  ExplainMeasurement: { name: 'level' },
  ExplainCommand: { name: 'valve' },
  BrowseConnector: { name: 'plc', path: 'tank', limit: 10 },
  OperateAlarms: { operations: [{ name: 'high', opcode: 'activate' }], authority: 'anna' },
  AckAlarms: { alarms: ['high'] },
  ReadCertificates: { state: 'rejected' },
  OperateCertificates: { operations: [{ name: 'ab'.repeat(32), opcode: 'trust', of: 'connector/plc' }] },
  OperateConnectors: { operations: [{ name: 'plc', opcode: 'disable', reason: 'new pump' }], authority: 'anna' },
  OperateProviders: { operations: [{ name: 'panel', opcode: 'enable' }] },
  OperateFunctionModules: { operations: [{ name: 'loop', opcode: 'restart' }] },
  ReadDatabase: { select: { measurements: 'all', alarms: ['high'] } },
  ReadArchive: {
    archive: 'measurements',
    name: 'level',
    t_since: -3600.5,
    t_until: 0,
    resample: 60,
    aggregate: 'avg',
    warp_head: true,
    limit: 100,
  },
  EraseArchive: { archive: 'alarms', name: 'high', t_since: 1_700_000_000, t_until: 1_700_000_000.000001 },
  AnswerQuery: { query_id: 12, status: 'free text' },
};

const problem = { type: '/docs/problems#x', title: 'No', status: 404, detail: 'It is not there.' };

describe('the messages of the channel', () => {
  for (const request of channelRequestNames) {
    const check = checker(requestSchema(request));

    test(`${request} is taken as it is written`, () => {
      for (const id of [7, 'seven']) assert.deepEqual(check.faults({ request, id, ...examples[request] }), []);
    });

    test(`${request} with more, with less or with another name is refused`, () => {
      const good = { request, id: 1, ...examples[request] };
      assert.equal(check.fits({ ...good, more: 1 }), false);
      assert.equal(check.fits({ ...good, request: 'Other' }), false);
      assert.equal(check.fits({ request, ...examples[request] }), false, 'without an id');
      for (const id of [null, 1.5, {}, 'x'.repeat(65)]) assert.equal(check.fits({ ...good, id }), false);
      for (const field of requestSchema(request).required ?? []) {
        const { [field]: _, ...less } = good as Record<string, unknown>;
        assert.equal(check.fits(less), false, `without ${field}`);
      }
    });

    test(`${request} is answered, good or bad`, () => {
      const answers = checker(answerSchema(request));
      assert.deepEqual(answers.faults({ request_id: 7, result: true }), []);
      assert.deepEqual(answers.faults({ request_id: null, result: false, error: problem }), []);
      assert.equal(answers.fits({ request_id: 7 }), false);
      const results = [{ name: 'level', result: false, error: problem }];
      const isBatch = channelRequests[request].batch !== undefined;
      assert.equal(answers.fits({ request_id: 7, result: false, error: problem, results }), isBatch);
    });
  }

  test('a list of nested things is as strict as the message', () => {
    const refused: [ChannelRequestName, object][] = [
      ['WriteCommands', { writes: [{ name: 'a', value: 'd1', more: 1 }] }],
      ['WriteCommands', { writes: [{ name: 'a', value: 5 }] }],
      ['SimulateMeasurements', { simulations: [{ name: 'a', value: 'd1', 'valid-for': 0 }] }],
      ['SimulateMeasurements', { simulations: [{ name: 'a', value: 'd1', quality: 65_536 }] }],
      ['OperateAlarms', { operations: [{ name: 'a', opcode: 'explode' }] }],
      ['OperateFunctionModules', { operations: [{ name: 'a', opcode: 'explode' }] }],
      ['ReadDatabase', { select: { connectors: 'all' } }],
      ['ReadMeasurements', { fields: ['vt'] }],
      ['ReadArchive', { archive: 'connectors', name: 'a', t_since: 0, t_until: 0 }],
      ['ReadArchive', { archive: 'commands', name: 'a', t_since: '0', t_until: 0 }],
      ['ReadArchive', { archive: 'commands', name: 'a', t_since: 0, t_until: 0, 'max-points': 3 }],
      ['EraseArchive', { archive: 'commands', name: 'a', t_since: 0, t_until: 0, limit: 1 }],
      ['WatchMeasurements', { measurements: 'some' }],
    ];
    for (const [request, fields] of refused) {
      assert.equal(checker(requestSchema(request)).fits({ request, id: 1, ...fields }), false, JSON.stringify(fields));
    }
  });

  test('every notification of the document is there, and refuses what it does not know', () => {
    const [v, t] = ['d21.5', [1_700_000_000, 0]];
    const alarm = { name: 'high', severity: 1, t, authority: 'trigger', state: 'ACT_UNACK', description: '' };
    const ended = { restarts: 1, 'exit-code': null, 'exit-signal': 'SIGKILL', 'next-start': t };
    const loop = {
      name: 'loop',
      state: 'INIT',
      since: t,
      pid: null,
      'last-error': { text: 'killed', t },
      status: null,
    };
    const good: Record<string, object> = {
      MeasurementUpdateNotification: { updates: [{ name: 'level', vtq: [v, t, 192] }], skipped: 3 },
      CommandUpdateNotification: { updates: [{ name: 'valve', vt: [v, t], removed: true }] },
      AlarmStateChangeNotification: { changes: [alarm] },
      FunctionModuleUpdateNotification: { updates: [{ ...loop, ...ended }] },
      FunctionModuleLogNotification: { lines: [{ name: 'loop', t, stream: 'err', text: 'no pump' }], skipped: 2 },
      FunctionModuleQuery: { query_id: 12 },
      ConnectorUpdateNotification: {
        updates: [{ name: 'plc', state: 'up', since: t, 'last-error': null, disabled: null }],
      },
      ProviderUpdateNotification: {
        updates: [
          {
            name: 'scada',
            state: 'disabled',
            since: t,
            'last-error': { text: 'gone', t },
            disabled: { by: 'anna', t, reason: null },
            removed: true,
          },
        ],
      },
    };
    assert.deepEqual(notificationNames, Object.keys(good));
    for (const [at, notification] of notificationNames.entries()) {
      const check = checker(channelNotifications[at] ?? assert.fail());
      assert.deepEqual(check.faults({ notification, ...good[notification] }), []);
      assert.equal(check.fits({ notification, ...good[notification], more: 1 }), false);
      assert.equal(check.fits({ notification }), false);
    }
  });
});
