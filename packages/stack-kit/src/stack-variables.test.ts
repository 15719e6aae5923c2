// Variables of a declaration that belong together, and secrets among them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defineStack, documentStack, Secret, Type } from './index.ts';

const naming = { name: 'probe', title: 'Probe', description: 'For tests.' };
const load = async () => ({ createConnector: () => assert.fail() });
const connector = { measurement: undefined, command: undefined, load };

describe('variables that belong together', () => {
  const { connector: checked = assert.fail() } = defineStack({
    ...naming,
    connector: {
      ...connector,
      variables: Type.Object({
        user: Type.String({ title: 'User', default: '' }),
        password: Secret({ title: 'Password', default: '' }),
      }),
      check: ({ user, password }) =>
        (user === '') === (password === '') ? [] : [{ field: 'password', message: 'goes with a user' }],
    },
  });

  test('are held against each other once each is right by itself', () => {
    const both = { user: 'a', password: 'b' };
    assert.deepEqual(checked.readVariables(both).values, { ...both, reconnectMaxMs: 5000 });
    const { values, faults } = checked.readVariables({ user: 'a' });
    assert.deepEqual([values, faults], [undefined, [{ field: 'password', message: 'goes with a user' }]]);
    assert.deepEqual(
      checked.readVariables({ user: 'a', port: '5' }).faults.map(({ field }) => field),
      ['port'],
    );
  });

  test('say which of them are secret, and take the name of a file for one', () => {
    assert.equal(checked.describe().description.parameters.password?.secret, true);
    assert.equal(checked.describe().description.parameters.user?.secret, undefined);
    assert.equal(checked.readVariables({ user: 'a', password: 'file:plc' }).values?.password, 'file:plc');
    assert.match(
      documentStack(
        defineStack({
          ...naming,
          connector: { ...connector, variables: Type.Object({ key: Secret({ title: 'Key' }) }) },
        }),
      ),
      /`key` +\| Key +\| string +\| required +\| a secret, or `file:NAME`/,
    );
  });

  test('a secret that is bound by a pattern is a mistake of the declaration', () => {
    const key = Type.String({ title: 'Key', pattern: '^a$', secret: true });
    assert.throws(
      () => defineStack({ ...naming, connector: { ...connector, variables: Type.Object({ key }) } }),
      /variable key: a secret must be a text, without enum and pattern/,
    );
  });
});
