// What every stack must declare well, as tests: that it can be found and loaded, that its README says what it says of
// itself, and that no address keeps its regexes busy.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isStack, type Stack } from '../define-stack.ts';
import { documentStack } from '../document-stack.ts';
import { findSlowAddress } from './find-slow-address.ts';

/** `readme` is where its README is. */
export function declaredWell(stack: Stack, readme: URL): void {
  const { connector, provider } = stack;

  test('is found, and loads what makes its connector and its provider', async () => {
    assert.ok(isStack(stack));
    if (connector !== undefined) assert.equal(typeof (await connector.load()).createConnector, 'function');
    if (provider !== undefined) assert.equal(typeof (await provider.load()).createProvider, 'function');
  });

  test('has a README whose reference is what the stack says of itself', () => {
    const text = readFileSync(readme, 'utf8');
    const [, generated] = /<!-- generated: [^>]* -->\n([\s\S]*)<!-- \/generated -->/.exec(text) ?? [];
    assert.equal(generated?.trim(), documentStack(stack));
  });

  test('has no address that keeps its regexes busy', () => {
    for (const role of [connector, provider]) {
      const { measurement, command, alarm } = role?.describe().description ?? {};
      for (const syntax of [measurement, command, alarm]) {
        if (syntax?.regex == null) continue;
        const { regex, examples } = syntax;
        assert.equal(findSlowAddress({ regex, doc: '', examples }), undefined);
      }
    }
  });
}
