// The page in memory: a thread makes it ready, and ends; until then, and where that fails, a page that says so is served instead.
// Operations serve it; what is in it is the matter of `packages/web`.
import { ProblemError } from '@telltale/schema';
import type { Logger } from 'pino';
import { startThread, threadPort, WorkerLink } from '../threads/index.ts';
import type { MadePage, PageAnswer, PageThread } from './made-page.ts';
import { failedPage, waitingPage } from './stand-in-page.ts';

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; " +
    "font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  // Some of its routes are operations, for those who prefer another type.
  vary: 'accept',
};

/** The name has a hash of the content. */
const assetHeaders = { 'cache-control': 'public, max-age=31536000, immutable' };

export class Page {
  readonly #log: Logger;
  #made: MadePage | undefined;
  #failure: string | undefined;
  #thread: WorkerLink<PageThread> | undefined;

  constructor({ log }: { readonly log: Logger }) {
    this.#log = log;
  }

  /** Resolves when it is ready, or it is known why it will not be. */
  async begin(): Promise<void> {
    try {
      const port = threadPort(startThread(new URL('./page-thread.ts', import.meta.url), 'page'));
      this.#thread = new WorkerLink<PageThread>(port, { handlers: {} });
      this.#made = await this.#thread.call('make', []);
    } catch (error) {
      if (error instanceof ProblemError && error.problem === 'stopping') return;
      this.#failure = error instanceof Error ? error.message : String(error);
      this.#log.error(`the page cannot be made, everything else works: ${this.#failure}`);
    } finally {
      await this.#thread?.kill();
    }
  }

  /** Equal texts mean that the index is the same; undefined while it is not there. */
  get version(): string | undefined {
    return this.#made?.version;
  }

  /** What starts the page. Only who is known is told what has failed. */
  index(isKnown: boolean): PageAnswer {
    if (this.#made !== undefined) return { headers: pageHeaders, body: this.#made.index };
    return this.#failure === undefined ? waitingPage() : failedPage(isKnown ? this.#failure : undefined);
  }

  /** Throws where there is none of this name. */
  asset(name: string): PageAnswer {
    const body = this.#made?.assets.get(name);
    if (body !== undefined) return { headers: assetHeaders, body };
    if (this.#made === undefined && this.#failure === undefined) {
      throw new ProblemError('starting', 'The page is being made ready.');
    }
    throw new ProblemError('unknown-object', `The page has no file ${JSON.stringify(name.slice(0, 80))}; reload it.`);
  }

  async close(): Promise<void> {
    await this.#thread?.kill();
  }
}
