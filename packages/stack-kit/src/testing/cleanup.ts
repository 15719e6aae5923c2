// What a test begins is ended with it: last first, each whatever the others throw, so that a server is gone before its
// folder is removed. Hooks of node:test run first to last, and none after one that throws.
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type SuiteContext, type TestContext } from 'node:test';

/** A test (in a hook, the context of `beforeEach`), or a stack that somebody else disposes of. */
export type Scope = TestContext | SuiteContext | AsyncDisposableStack;

const stacks = new WeakMap<Scope, AsyncDisposableStack>();

/** What is deferred here happens when the test is over. */
export function cleanupOf(scope: Scope): AsyncDisposableStack {
  if (scope instanceof AsyncDisposableStack) return scope;
  const known = stacks.get(scope);
  if (known !== undefined) return known;
  if (!('after' in scope)) throw new TypeError(`${scope.name} is a suite: use suiteCleanup() in its body`);
  const stack = new AsyncDisposableStack();
  stacks.set(scope, stack);
  scope.after(() => stack.disposeAsync());
  return stack;
}

/** Called in the body of a file or of a suite: what is deferred happens when all of its tests are over. */
export function suiteCleanup(): AsyncDisposableStack {
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());
  return stack;
}

/** A fresh folder outside the repository. What is begun in it later is ended before it is removed. */
export function temporaryFolder(scope: Scope, parent = tmpdir()): string {
  const path = realpathSync(mkdtempSync(join(parent, 'telltale-')));
  // Retried for what nobody can wait for: a process that was killed and not yet buried.
  cleanupOf(scope).defer(() => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return path;
}
