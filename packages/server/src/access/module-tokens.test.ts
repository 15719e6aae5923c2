// Promises of the tokens of function modules: whose a request is, and what that one may do.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Permission, ProblemError, type ProblemName } from '@telltale/schema';
import fc from 'fast-check';
import { openAccess } from '../../test/open-access.ts';
import { type Caller, checkPermission, localCaller, notAllowed } from './caller.ts';
import { ModuleTokens } from './module-tokens.ts';

const nothing = '';
const isProblem = (name: ProblemName) => (error: unknown) => error instanceof ProblemError && error.problem === name;

const identify = (tokens: ModuleTokens, authorization: string | undefined) =>
  openAccess(tokens).identify({ authorization });

function checkNamedWrite(caller: Caller, name: string): void {
  if (!caller.rights.on('write', name, undefined)) throw notAllowed(caller, 'write', name);
}

function refused(work: () => void, problem: ProblemName): string {
  let detail = '';
  assert.throws(work, (error: Error) => {
    detail = error.message;
    return isProblem(problem)(error);
  });
  return detail;
}

describe('a token', () => {
  test('belongs to its module, however the scheme is written', () => {
    const tokens = new ModuleTokens();
    const token = tokens.issue('loop', nothing);
    assert.match(token, /^tt_[\w-]{49}$/);
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      const caller = identify(tokens, `${scheme} ${token}`);
      const { module, author, authorityOr } = caller;
      assert.deepEqual([module, author, authorityOr('anna')], ['loop', 'module/loop', 'module/loop']);
      assert.equal(caller, identify(tokens, `Bearer ${token}`), 'the same object');
    }
  });

  test('of one run is not that of another, of the same module neither', () => {
    const tokens = new ModuleTokens();
    const all = Array.from({ length: 100 }, (_, at) => tokens.issue(`m${at % 10}`, nothing));
    assert.equal(new Set(all).size, 100);
    assert.equal(new Set(all.map((token) => identify(tokens, `Bearer ${token}`))).size, 100);
    assert.equal(tokens.size, 100);
  });

  test('that is revoked is nobody’s, takes its rights with it, and is reported once', () => {
    const tokens = new ModuleTokens();
    const reported: Caller[] = [];
    tokens.onChanged((caller, isGone) => isGone && reported.push(caller));
    const [gone, stays] = [tokens.issue('loop', '*'), tokens.issue('loop', '*')];
    const [before, other] = [identify(tokens, `Bearer ${gone}`), identify(tokens, `Bearer ${stays}`)];
    assert.equal(before.rights.on('write', 'level', undefined), true);
    for (let again = 0; again < 2; again++) tokens.revoke(gone);
    tokens.revoke('never issued');
    assert.deepEqual(reported, [before]);
    assert.equal(before.rights.on('write', 'level', undefined), false);
    refused(() => checkNamedWrite(before, 'level'), 'not-allowed');
    refused(() => identify(tokens, `Bearer ${gone}`), 'invalid-token');
    assert.equal(other.rights.on('write', 'level', undefined), true);
    assert.equal(tokens.size, 1);
  });

  test('that is not to the letter one that was issued is refused', () => {
    const tokens = new ModuleTokens();
    const token = tokens.issue('loop', nothing);
    const wrong = [
      '',
      ' ',
      'Bearer',
      'Bearer ',
      token,
      `Token ${token}`,
      `Bearer${token}`,
      `Bearer ${token}x`,
      `Bearer ${token} `,
      `Bearer ${token}\n`,
      `Bearer x${token}`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer ${token.slice(1)}`,
      `Bearer "${token}"`,
      `Bearer ${token}=`,
      `Bearer ${'A'.repeat(43)}`,
      `Bearer ${'A'.repeat(256 << 10)}`,
      'Bearer __proto__',
      'Bearer constructor',
      'Basic',
      `Basic\t${token}`,
    ];
    for (const header of wrong) refused(() => identify(tokens, header), 'invalid-token');
    fc.assert(
      fc.property(fc.string(), (text) => {
        refused(() => identify(tokens, `Bearer ${text}`), 'invalid-token');
      }),
    );
    fc.assert(
      fc.property(fc.nat(42), fc.constantFrom(...'AZaz09_-'), (at, letter) => {
        const other = token.slice(0, at) + letter + token.slice(at + 1);
        if (other !== token) refused(() => identify(tokens, `Bearer ${other}`), 'invalid-token');
      }),
    );
  });

  test('is not what a proxy in front asks people for: that says nothing here', () => {
    const tokens = new ModuleTokens();
    for (const header of ['Basic YW5uYTpzZWNyZXQ=', 'Digest username="anna"', 'Negotiate abc', 'BASIC x']) {
      assert.equal(identify(tokens, header), localCaller);
    }
  });
});

describe('what a caller may do', () => {
  const everything: Permission[] = ['view', 'write', 'configure'];

  test('without a token: everything', () => {
    assert.equal(identify(new ModuleTokens(), undefined), localCaller);
    for (const access of everything) checkPermission(localCaller, access);
    for (const name of ['level', '__proto__', '']) checkNamedWrite(localCaller, name);
  });

  test('with a token: read, and write to the names that it is given at that moment', () => {
    const tokens = new ModuleTokens();
    const token = tokens.issue('loop', 'level, __proto__');
    const caller = identify(tokens, `Bearer ${token}`);
    checkPermission(caller, 'view');
    checkPermission(caller, 'write');
    for (const name of ['level', '__proto__']) checkNamedWrite(caller, name);
    for (const name of ['levels', 'leve', 'constructor', 'toString', '', 'x'.repeat(1 << 20)]) {
      const detail = refused(() => checkNamedWrite(caller, name), 'not-allowed');
      assert.ok(detail.includes('properties.writes of function module loop') && detail.length < 250, detail);
    }
    tokens.change(token, 'flow');
    refused(() => checkNamedWrite(caller, 'level'), 'not-allowed');
    checkNamedWrite(caller, 'flow');
    tokens.revoke(token);
    tokens.change(token, '*');
    refused(() => checkNamedWrite(caller, 'flow'), 'not-allowed');
  });

  test('with a token: what its list says, with names and beginnings of names', () => {
    const tokens = new ModuleTokens();
    const lists: [string, string[], string[]][] = [
      ['', [], ['level', '', '*']],
      [' ,\n\t, ', [], ['level', '']],
      ['level', ['level'], ['Level', 'level1', 'leve']],
      ['a,b c\n\td', ['a', 'b', 'c', 'd'], ['e', 'ab', '']],
      ['pump_*', ['pump_', 'pump_1'], ['pump', 'xpump_1']],
      ['x, *', ['x', 'level', '__proto__'], []],
      ['a*b', [], ['a', 'ab', 'axb']],
    ];
    for (const [list, may, mayNot] of lists) {
      const caller = identify(tokens, `Bearer ${tokens.issue('loop', list)}`);
      for (const name of may) assert.equal(caller.rights.on('write', name, undefined), true, `${list}: ${name}`);
      for (const name of mayNot) assert.equal(caller.rights.on('write', name, undefined), false, `${list}: ${name}`);
    }
  });

  test('with a token that is given every name: no other write for that', () => {
    const tokens = new ModuleTokens();
    const caller = identify(tokens, `Bearer ${tokens.issue('loop', '*')}`);
    assert.match(
      refused(() => checkPermission(caller, 'configure'), 'not-allowed'),
      /properties\.writes/,
    );
  });
});
