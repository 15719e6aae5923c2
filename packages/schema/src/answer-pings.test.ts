import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { answerPings } from './answer-pings.ts';

test('a ping is answered at once; of those that come before the answer was taken, the newest', () => {
  const answered: string[] = [];
  let taken = () => {};
  class Socket extends EventEmitter {
    pong(data: Buffer, _mask: boolean | undefined, done: () => void): void {
      answered.push(String(data));
      taken = done;
    }
  }
  const socket = new Socket();
  answerPings(socket);
  for (const data of ['1', '2', '3']) socket.emit('ping', Buffer.from(data));
  assert.deepEqual(answered, ['1']);
  taken();
  assert.deepEqual(answered, ['1', '3']);
  taken();
  socket.emit('ping', Buffer.from('4'));
  assert.deepEqual(answered, ['1', '3', '4']);
});
