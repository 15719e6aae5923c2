// The parent's side of test/watching-clients.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Order, Seen, Watched, WatchOrder } from './watching-clients.ts';

const file = fileURLToPath(new URL('./watching-clients.ts', import.meta.url));

export class WatchingProcess {
  readonly #child: ChildProcess;

  /** Gone when the test is over. `prelude` is run by the shell before it. */
  constructor(t: TestContext, prelude = ':') {
    this.#child = spawn('sh', ['-c', `${prelude}; exec "$@"`, 'sh', process.execPath, file], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    t.after(() => this.#child.kill('SIGKILL'));
  }

  watch(watch: WatchOrder['watch']): Promise<Watched> {
    return this.#ask({ watch });
  }

  /** Ask first, then let the counters rise: what is on its way before counts for nothing. */
  seeAll(number: number): Promise<Seen> {
    return this.#ask({ seeAll: number });
  }

  async #ask<Answer>(order: Order): Promise<Answer> {
    this.#child.send(order);
    const ended = once(this.#child, 'exit').then(([code, signal]) => {
      throw new Error(`the clients ended with ${code ?? signal}`);
    });
    const [answer] = (await Promise.race([once(this.#child, 'message'), ended])) as [Answer];
    return answer;
  }
}
