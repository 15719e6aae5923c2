import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServingTurns } from '@telltale/stack-kit';
import { ReadRequest, ReadResponse, ServiceFault, type StatusCode, StatusCodes } from 'node-opcua-client';
import { SteppedRequests } from './stepped-requests.ts';

interface Message {
  readonly request: { readonly nodesToRead: readonly object[] };
}

interface Channel {
  aborted: boolean;
  send_response(kind: string, response: unknown, message: Message): void;
  abruptlyInterrupt(): void;
}

type Handler = (message: Message, channel: Channel) => unknown;

/** A server whose reads are a piece of work that takes a slice each. */
function setUp(status: StatusCode = StatusCodes.Good) {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const pieces: number[] = [];
  const read: Handler = ({ request }, channel) => {
    clock.nowMs += 1;
    pieces.push(request.nodesToRead.length);
    const responseHeader = { serviceResult: status };
    const results = request.nodesToRead.map(() => ({ statusCode: StatusCodes.Good }));
    const isGood = status.equals(StatusCodes.Good);
    const response = isGood ? new ReadResponse({ responseHeader, results }) : new ServiceFault({ responseHeader });
    channel.send_response('MSG', response, { request });
  };
  const unused: Handler = () => assert.fail('nobody asked for it');
  const names = ['Write', 'Browse', 'TranslateBrowsePathsToNodeIds', 'CreateMonitoredItems', 'ModifyMonitoredItems'];
  const others = [...names, 'DeleteMonitoredItems', 'SetMonitoringMode'].map((name) => [`_on_${name}Request`, unused]);
  const engine = { serverCapabilities: { operationLimits: { maxNodesPerRead: 1000 } } };
  const server = { engine, _on_ReadRequest: read, ...Object.fromEntries(others) } as { _on_ReadRequest: Handler };
  const stepped = new SteppedRequests(new ServingTurns(clock));
  stepped.install(server);
  const sent: (ReadResponse | ServiceFault)[] = [];
  const channel: Channel = {
    aborted: false,
    send_response: (_kind, response) => sent.push(response as ReadResponse),
    abruptlyInterrupt: () => {
      channel.aborted = true;
    },
  };
  const ask = (count: number) => {
    const request = new ReadRequest({ nodesToRead: Array.from({ length: count }, () => ({})) });
    server._on_ReadRequest({ request } as unknown as Message, channel);
    return stepped.takeBegun();
  };
  return { pieces, sent, channel, ask };
}

test('a request for many nodes gives the event loop back after each few, and is answered once', async () => {
  const { pieces, sent, ask } = setUp();
  const carriedOut = ask(80);
  assert.deepEqual(pieces, []);
  await nextTurn();
  await nextTurn();
  assert.ok(pieces.length < 4, `${pieces.length} pieces in a turn`);
  await carriedOut;
  assert.deepEqual(pieces, [25, 25, 25, 5]);
  assert.equal(sent.length, 1);
  assert.equal((sent[0] as ReadResponse).results?.length, 80);
});

test('one for few nodes, or for more than are taken, is left to the library', () => {
  const { pieces, ask } = setUp();
  assert.equal(ask(25), undefined);
  assert.equal(ask(1001), undefined);
  assert.deepEqual(pieces, [25, 1001]);
});

test('a fault ends it', async () => {
  const { pieces, sent, ask } = setUp(StatusCodes.BadSessionClosed);
  await ask(80);
  assert.deepEqual(pieces, [25]);
  assert.ok(sent[0] instanceof ServiceFault);
});

test('nothing more is done for a client that has gone', async () => {
  const { pieces, sent, channel, ask } = setUp();
  const carriedOut = ask(80);
  channel.aborted = true;
  await carriedOut;
  assert.deepEqual([pieces, sent], [[], []]);
});
