// Every pattern of every schema has words: whatever is off one is refused without a regular expression.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as schema from '@telltale/schema';
import { isStack, type StackRole } from '@telltale/stack-kit';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import Type, { type TSchema } from 'typebox';
import { readSettings } from '../packages/server/src/read-settings.ts';
import { Settings } from '../packages/server/src/settings.ts';
import { startServer } from './server-process.ts';

interface Node {
  readonly pattern?: unknown;
  readonly description?: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: { readonly pattern?: string; readonly items?: { readonly pattern?: string } };
}

const candidates = [
  '',
  ' ',
  '%',
  'a b',
  '\u0000',
  '\n',
  'ä',
  '.',
  '..',
  '/',
  '+#',
  '-',
  '1',
  'x'.repeat(300),
  '\u202e',
];
const stackNames = ['http', 'modbus', 'mqtt', 'opcua', 'simulator', 'snmp', 'waterworks'];

/** A text that the pattern refuses; undefined where it takes any. */
function offPattern(pattern: string): string | undefined {
  const form = new RegExp(pattern, 'u');
  return candidates.find((text) => !form.test(text));
}

function assertWords(message: string, pattern: string): void {
  assert.ok(!message.includes(pattern), `${message} has the pattern ${pattern}`);
  assert.doesNotMatch(message, /\[\^|\[0-9|\[a-z|\[A-Z|\(\?|\{\d+,\d*\}|\\[sSdDwW]/, message);
}

/** Every schema with a pattern that is reached from a value, however deep. */
function withPattern(value: unknown, seen = new Set<unknown>(), found: Node[] = []): Node[] {
  if (typeof value !== 'object' || value === null || seen.has(value)) return found;
  seen.add(value);
  if (typeof (value as Node).pattern === 'string' && Reflect.get(value, 'type') === 'string') found.push(value as Node);
  for (const inner of Object.values(value)) withPattern(inner, seen, found);
  return found;
}

test('a text that is off a pattern of any schema, operation or channel request is refused in words', () => {
  const nodes = withPattern(Object.values(schema));
  assert.ok(nodes.length > 5, String(nodes.length));
  for (const node of nodes) {
    const pattern = String(node.pattern);
    const wrong = offPattern(pattern);
    if (wrong === undefined) continue;
    assert.equal(typeof node.description, 'string', `the pattern ${pattern} needs a description: "must be …"`);
    const [fault] = schema.checker(Type.Object({ field: node as TSchema })).faults({ field: wrong });
    assert.match(fault?.message ?? '', /^must /);
    assertWords(fault?.message ?? '', pattern);
  }
});

test('a setting that is off its pattern is refused in words', () => {
  const all = Object.entries(Settings.properties as Record<string, { pattern?: string }>);
  const patterns = all.flatMap(([name, { pattern }]) => (pattern === undefined ? [] : [{ name, pattern }]));
  assert.ok(patterns.length >= 5);
  for (const { name, pattern } of patterns) {
    const wrong = offPattern(pattern) ?? assert.fail(name);
    assert.throws(
      () => readSettings([`--${name}=${wrong}`], {}),
      ({ message }: Error) => {
        assert.match(message, /must be/);
        assertWords(message, pattern);
        return true;
      },
    );
  }
});

describe('a variable of a stack that is off its pattern is refused in words', () => {
  for (const name of stackNames) {
    test(name, async () => {
      const { default: stack } = (await import(`../stacks/${name}/src/stack.ts`)) as { default: unknown };
      assert.ok(isStack(stack));
      for (const role of [stack.connector, stack.provider]) if (role !== undefined) checkRole(role);
    });
  }

  function checkRole(role: StackRole): void {
    for (const [field, { regex, form }] of Object.entries(role.describe().description.parameters)) {
      const wrong = regex === undefined ? undefined : offPattern(regex);
      if (regex === undefined || wrong === undefined) continue;
      assert.equal(typeof form, 'string', `${field} needs a form: "must be …"`);
      const fault = role.readVariables({ [field]: wrong }).faults.find((each) => each.field === field);
      const { message = '' } = fault ?? {};
      assert.ok(message.startsWith(`must be ${form}, not `), message);
      assertWords(message, regex);
    }
  }
});

test('over HTTP, no body and no query or path parameter is refused by a regular expression', async (t) => {
  const server = await startServer(t, { data: temporaryFolder(t) });
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
  };
  let asked = 0;
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const parameter of methods.get?.parameters ?? []) {
      const pattern = parameter.schema?.pattern ?? parameter.schema?.items?.pattern;
      const wrong = pattern === undefined ? undefined : offPattern(pattern);
      if (pattern === undefined || wrong === undefined) continue;
      const named = (name: string) => (name === parameter.name ? encodeURIComponent(wrong || '%') : 'x');
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named(name));
      const query = parameter.in === 'query' ? `?${parameter.name}=${encodeURIComponent(wrong)}` : '';
      const answer = await fetch(`${server.url}${filled}${query}`);
      assertWords(await answer.text(), pattern);
      asked++;
    }
  }
  assert.ok(asked > 10, String(asked));
  const families = {
    measurements: schema.Measurement,
    alarms: schema.Alarm,
    'function-modules': schema.FunctionModule,
  };
  for (const [family, { properties }] of Object.entries(families)) {
    for (const [field, { pattern }] of Object.entries(properties as Record<string, { pattern?: string }>)) {
      const wrong = pattern === undefined ? undefined : offPattern(pattern);
      if (pattern === undefined || wrong === undefined) continue;
      const answer = await fetch(`${server.url}/config/v2/${family}/x`, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ [field]: wrong === '' ? '..' : wrong }),
      });
      assert.equal(answer.status, 400);
      const text = await answer.text();
      assert.ok(text.includes(`"/${field}","message":"must be `), text);
      assertWords(text, pattern);
    }
  }
});
