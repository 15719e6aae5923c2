// Promises of what must be confirmed: by level and by who acts, and of every operation that can render.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ConfirmLevel, confirmLevels, operationNames, operations, ProblemError } from '@telltale/schema';
import type { IdentityKind } from '../access/index.ts';
import { Confirmations } from './confirmations.ts';
import type { Implementations } from './implementations/index.ts';

const none = { 'confirm-render': 'none', 'confirm-erase': 'none', 'confirm-simulate': 'none' } as const;

function ofCommand(confirm: ConfirmLevel, confirmExcept = ''): Confirmations {
  const definition = { name: 'valve', datatype: 'b', properties: { confirm, confirmExcept } } as const;
  return new Confirmations(none, { find: () => 0, definitionAt: () => definition, all: () => [0] });
}

/** The name of the problem; empty: it may be done. */
function outcomeOf(work: () => unknown): string {
  try {
    work();
    return '';
  } catch (error) {
    assert.ok(error instanceof ProblemError, String(error));
    return error.problem;
  }
}

describe('a command', () => {
  const people: readonly IdentityKind[] = ['user', 'local', 'token', 'certificate'];
  const unattended: readonly IdentityKind[] = ['module', 'provider'];
  const wanted: Readonly<Record<ConfirmLevel, readonly [bare: string, withReason: string, unattended: string]>> = {
    none: ['', '', ''],
    reason: ['reason-needed', '', 'not-allowed'],
    sign: ['signature-needed', 'signature-needed', 'not-allowed'],
    'two-person': ['signature-needed', 'signature-needed', 'not-allowed'],
  };
  for (const level of confirmLevels) {
    test(`of level ${level} is written by whom it says`, () => {
      const [bare, withReason, program] = wanted[level];
      const confirmations = ofCommand(level, 'module/loop, provider/named');
      const check = (author: string, kind: IdentityKind, reason?: string) =>
        outcomeOf(() => confirmations.check('writeCommand', 'valve', { author, kind }, reason));
      for (const kind of people) {
        assert.deepEqual([check('x', kind), check('x', kind, 'why')], [bare, withReason], kind);
      }
      for (const kind of unattended) assert.equal(check(`${kind}/other`, kind, 'why'), program, kind);
      assert.deepEqual([check('module/loop', 'module'), check('provider/named', 'provider')], ['', '']);
    });
  }
});

test('whatever can render is a rendering, where it does', async () => {
  const rendering = operationNames.filter(
    (name) => name === 'render' || Object.hasOwn(operations[name].input, 'render'),
  );
  assert.ok(rendering.length >= 10, rendering.join());
  const done: string[] = [];
  const all = Object.fromEntries(rendering.map((name) => [name, () => done.push(name)]));
  const settings = { ...none, 'confirm-render': 'sign', 'confirm-except': 'token/deploy' } as const;
  const confirmations = new Confirmations(settings, { find: () => -1, definitionAt: () => undefined, all: () => [] });
  const guarded = confirmations.guarding(all as unknown as Implementations) as unknown as Record<
    string,
    (input: object, asked: object) => unknown
  >;
  const askedBy = (author: string) => ({ caller: { author, kind: 'token' }, note: () => undefined });
  for (const name of rendering) {
    const render = (author: string) =>
      outcomeOf(() => guarded[name]?.({ render: true, comment: 'x' }, askedBy(author)));
    assert.equal(render('token/other'), 'signature-needed', name);
    assert.equal(render('token/deploy'), '', name);
    if (name !== 'render') guarded[name]?.({}, askedBy('token/other'));
  }
  assert.equal(done.length, 2 * rendering.length - 1);
});
