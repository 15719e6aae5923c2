// Promises of the catalogue: what every declaration keeps to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { channelRequestNames, channelRequests } from '../channel.ts';
import { declarationOf, operationNames } from './index.ts';

const all = operationNames.map((name) => ({ name, ...declarationOf(name) }));

test('no two operations have the same method and path', () => {
  const forms = all.map(({ http: { method, path } }) => `${method} ${path}`);
  assert.equal(new Set(forms).size, forms.length);
});

test('every parameter of a path is an input that is required', () => {
  for (const { name, input, http } of all) {
    const required = Type.Object(input).required ?? [];
    for (const [, parameter] of http.path.matchAll(/:(\w+)/g)) {
      assert.ok((required as readonly string[]).includes(parameter as string), `${name}: ${parameter}`);
    }
  }
});

test('a path that has a name says what it names', () => {
  for (const { name, http } of all) assert.equal(http.path.includes('/:name'), http.names !== undefined, name);
});

test('what changes something is audited, and nothing else is', () => {
  for (const { name, effect, audited } of all) assert.equal(audited, effect.action !== 'read', name);
});

test('what is read by GET changes nothing', () => {
  for (const { name, effect, http } of all) if (http.method === 'GET') assert.equal(effect.action, 'read', name);
});

test('an answer with content has a type', () => {
  for (const { name, http } of all) assert.equal(http.answer.type !== undefined, http.answer.status === 200, name);
});

test('a request of the channel asks for operations of one effect', () => {
  for (const request of channelRequestNames) {
    const { operations, effect, audited } = channelRequests[request];
    for (const name of operations) {
      const declared = declarationOf(name);
      assert.deepEqual([declared.effect, declared.audited], [effect, audited], `${request}: ${name}`);
    }
  }
});
