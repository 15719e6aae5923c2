// A test file that never ends: its test waits, and so do processes that it has started.
import { spawn } from 'node:child_process';
import { test } from 'node:test';

test('comes to an end', () => {});
test('waits for ever', async () => {
  // The grandchild is in a session of its own and has an empty environment.
  spawn('sh', ['-c', 'setsid env -i sleep $SLEEP_S & exec sleep $SLEEP_S'], { stdio: 'inherit' });
  await new Promise((resolve) => setTimeout(resolve, 7_000_000));
});
