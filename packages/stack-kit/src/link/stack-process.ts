// A process of a stack's own, for code that cannot run in a thread. To be started from the main thread: what another one
// starts is reaped by nobody once that is terminated.
import { fork } from 'node:child_process';
import type { ProcessListener, StackProcess } from '../connector.ts';

/** A process that does not end by itself is ended. */
const endMs = 1000;

export function startProcess(file: string, { onMessage, onEnded }: ProcessListener): StackProcess {
  const child = fork(file, { execArgv: [], serialization: 'advanced', stdio: 'ignore' });
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasEnded = false;
  const ended = (reason: string) => {
    if (hasEnded) return;
    hasEnded = true;
    resolve();
    onEnded(reason);
  };
  child.on('message', onMessage);
  // Of one that was started, `exit` follows.
  child.on('error', (error) => child.pid === undefined && ended(`it cannot be started: ${error.message}`));
  child.on('exit', (code, signal) => ended(`it has ended: ${signal ?? `exit code ${code}`}`));
  return {
    // What cannot be handed over is lost: `exit` follows.
    send: (message) => void (child.connected && child.send(message as object, () => {})),
    async end() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), endMs);
      await promise;
      clearTimeout(timer);
    },
  };
}
