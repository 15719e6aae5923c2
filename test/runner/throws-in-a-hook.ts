// A test file whose hook throws before the hook that would end its process.
import { type ChildProcess, spawn } from 'node:child_process';
import { after, before, test } from 'node:test';

let child: ChildProcess;
before(() => {
  child = spawn('sleep', [process.env.SLEEP_S ?? '']);
});
after(() => {
  throw new Error('the folder is not empty');
});
after(() => child.kill());

test('passes', () => {});
