// A test file that ends and leaves processes behind, which have left its session and hold its output.
import { spawn } from 'node:child_process';
import { test } from 'node:test';

test('starts what it does not end', () => {
  spawn('sh', ['-c', 'env -i sleep $SLEEP_S & exec sleep $SLEEP_S'], { stdio: 'inherit', detached: true }).unref();
});
