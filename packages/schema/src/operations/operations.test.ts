// Promises of the catalogue: what every declaration keeps to.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import Type from 'typebox';
import { channelRequestNames, channelRequests } from '../channel.ts';
import { type ChannelForm, declarationOf, httpOperationNames, operationNames, tagOf } from './index.ts';

const all = operationNames.map((name) => ({ name, ...declarationOf(name) }));
const ofHttp = httpOperationNames.map((name) => ({ name, ...declarationOf(name) }));

test('no two operations have the same method and path', () => {
  const forms = ofHttp.map(({ http: { method, path } }) => `${method} ${path}`);
  assert.equal(new Set(forms).size, forms.length);
});

test('every parameter of a path is an input that is required', () => {
  for (const { name, input, http } of ofHttp) {
    const required = Type.Object(input).required ?? [];
    for (const [, parameter] of http.path.matchAll(/:(\w+)/g)) {
      assert.ok((required as readonly string[]).includes(parameter as string), `${name}: ${parameter}`);
    }
  }
});

test('a path that has a name says what it names', () => {
  for (const { name, http } of ofHttp)
    assert.equal(/\/:(name|account)/.test(http.path), http.names !== undefined, name);
});

test('what changes something is audited, and of reads only downloads, lists of secrets, and those of the trail itself', () => {
  const downloads = new Set(['downloadDatabase', 'getExecutable', 'listAudit', 'exportAudit', 'listSecrets']);
  for (const { name, effect, audited } of all) {
    assert.equal(audited, effect.action !== 'read' || downloads.has(name), name);
  }
});

test('whatever is open to everybody is listed here', () => {
  const open = all.filter(({ permission }) => permission === 'public').map(({ name }) => name);
  assert.deepEqual(open.sort(), [
    'enrolAtBus',
    'getDirectories',
    'getHealth',
    'getIdentity',
    'getOidcPage',
    'getPage',
    'getPageFile',
    'getPasskeyRequest',
    'getReadiness',
    'getSetupPage',
    'getSignInPage',
    'initAccess',
    'signIn',
    'signInWithOidc',
    'startOidc',
  ]);
});

test('what is read by GET changes nothing', () => {
  for (const { name, effect, http } of ofHttp) if (http.method === 'GET') assert.equal(effect.action, 'read', name);
});

test('an answer with content has a type', () => {
  for (const { name, http } of ofHttp) assert.equal(http.answer.type !== undefined, http.answer.status === 200, name);
});

test('every operation can be asked for', () => {
  for (const { name, http, channel = [] } of all) assert.ok(http !== undefined || channel.length > 0, name);
});

test('the operations of one request of the channel have the same effect, and the same form but for what means each', () => {
  const asked = all.flatMap(({ channel = [], effect, audited }) => channel.map((form) => ({ form, effect, audited })));
  for (const same of Map.groupBy(asked, ({ form }) => form.request).values()) {
    const shapes = same.map(({ form: { when: _, ...shape }, effect, audited }) => ({ shape, effect, audited }));
    for (const shape of shapes) assert.deepEqual(shape, shapes[0]);
    const meant = same.map(({ form }) => JSON.stringify(form.when ?? {}));
    assert.equal(new Set(meant).size, meant.length, `${same[0]?.form.request}`);
  }
});

/** What the message, or an item of it, has for its operation. */
function carried({ fields, batch = '' }: ChannelForm): string[] {
  const items = (fields[batch] as { items?: { properties?: object } } | undefined)?.items;
  return [...Object.keys(fields), ...(items === undefined ? [] : Object.keys(items.properties ?? { name: '' }))];
}

test('a request of the channel carries what its operation requires, and what distinguishes it from others', () => {
  for (const { name, input, channel = [] } of all) {
    for (const form of channel) {
      const required = (Type.Object(input).required ?? []) as readonly string[];
      const missing = [...required, ...Object.keys(form.when ?? {})].filter((field) => !carried(form).includes(field));
      assert.deepEqual(missing, [], `${form.request}: ${name}`);
    }
  }
});

/** What tells an answer from another one; titles and what is required of objects differ. */
const outline = (schema: object | undefined) => {
  const { type, properties = {} } = (schema ?? {}) as { type?: string; properties?: object };
  return { type, properties: Object.keys(properties).sort() };
};

test('the one field of an answer on the channel has what HTTP answers', () => {
  for (const { name, http, channel = [] } of all) {
    for (const { request, answer = {}, batch } of channel) {
      // HTTP gives records by name; the message has those of one name.
      if (request === 'ReadArchive') continue;
      const [schema, ...others] = Object.values(answer);
      if (http === undefined || schema === undefined || others.length > 0 || batch !== undefined) continue;
      assert.deepEqual(outline(schema), outline(http.answer.schema), name);
    }
  }
});

test('whatever a request of several operations can say means one of them', () => {
  for (const request of channelRequestNames) {
    const { operations, fields, batch = '' } = channelRequests[request];
    if (operations.length === 1) continue;
    const items = (fields[batch] as { items?: { properties: object } } | undefined)?.items;
    const choices = (items?.properties ?? fields) as Record<string, { enum?: readonly string[] }>;
    const [field = ''] = Object.keys(operations.at(-1)?.when ?? {});
    const meant = operations.filter(({ when }) => Object.keys(when).length === 1).map(({ when }) => when[field]);
    assert.deepEqual(meant.sort(), [...(choices[field]?.enum ?? [])].sort(), request);
  }
});

test('every tag is described, and has a guide', () => {
  for (const { name, tag } of all) {
    const guide = new URL(`../../../../docs/guides/${tagOf(tag)?.guide}.md`, import.meta.url);
    assert.ok(existsSync(guide), `${name}: the tag ${tag} needs a line in operations/tags.ts`);
  }
});
