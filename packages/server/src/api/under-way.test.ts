// Promises of requests under way: each is ended once, for a reason that holds, and nothing is remembered of those that are over.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProblemError } from '@telltale/schema';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { readToEnd } from '../../../../test/raw-http.ts';
import { until } from '../../../../test/until.ts';
import { HttpRig, statuses } from '../../test/http-rig.ts';
import { type Caller, GrantedRights, type Identities, localCaller, type Rights } from '../access/index.ts';
import type { Route } from './route.ts';
import { UnderWay } from './under-way.ts';

/** Somebody whose rights are looked at, and how often. */
function somebody() {
  let rights: Rights = new GrantedRights([{ permissions: ['view', 'configure'] }]);
  let looks = 0;
  const caller: Caller = {
    ...localCaller,
    author: 'anna',
    get rights() {
      looks++;
      return rights;
    },
  };
  const listeners: Parameters<Identities['onChanged']>[0][] = [];
  const identities: Identities = { identify: () => caller, onChanged: (listener) => listeners.push(listener) };
  return {
    caller,
    identities,
    grant(next: Rights) {
      rights = next;
    },
    /** Returns how often the rights were looked at. */
    tell(isGone = false): number {
      looks = 0;
      for (const listener of listeners) listener(caller, isGone);
      return looks;
    },
  };
}

describe('a request under way', () => {
  test('ends when what it needs is permitted for something else, or its caller is gone; not for other changes', () => {
    const anna = somebody();
    const underWay = new UnderWay(anna.identities);
    const ended: string[] = [];
    const begin = (what: string, needed: 'view' | 'configure') =>
      underWay.begin(anna.caller, needed, ({ problem }) => ended.push(`${what} ${problem}`));
    begin('read', 'view');
    begin('upload', 'configure');
    const over = begin('over', 'configure');
    over();
    over();
    anna.tell();
    anna.grant(new GrantedRights([{ permissions: ['view', 'configure', 'write'] }]));
    anna.tell();
    assert.deepEqual(ended, []);
    anna.grant(new GrantedRights([{ permissions: ['view'] }, { permissions: ['configure'], area: 'north' }]));
    anna.tell();
    assert.deepEqual(ended, ['upload not-allowed']);
    anna.tell(true);
    anna.tell(true);
    assert.deepEqual(ended, ['upload not-allowed', 'read not-signed-in']);
  });

  test('is forgotten when it is answered, also where nobody has read its body', async (t) => {
    const anna = somebody();
    const route: Route = {
      method: 'POST',
      path: '/upload',
      id: 'upload',
      effect: { action: 'configure', resource: 'service' },
      permission: 'configure',
      audited: false,
      body: { types: ['application/octet-stream'], maxBytes: 1000, setting: '--max-json-size' },
      answer: { status: 204, description: '' },
      problems: [],
      handle: () => {
        throw new ProblemError('uploads-disabled', 'Nothing is taken here.');
      },
    };
    const rig = await new HttpRig({ routes: [route], identities: anna.identities }).listen();
    cleanupOf(t).defer(() => rig.end());
    const socket = await rig.open();
    const head = ['POST /upload HTTP/1.1', 'Host: localhost', 'Content-Length: 3', 'Connection: close', '', ''];
    socket.write(`${head.join('\r\n')}abc`);
    assert.deepEqual(statuses(await readToEnd(socket)), [403]);
    await until('nothing of it is looked at', () => Promise.resolve(anna.tell() === 0));
  });
});
