// A server and a browser for all tests of a file that look at the page, and pages in it at the widths of a control room, a desk
// and a phone.
import { before, type TestContext } from 'node:test';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Browser, Page } from 'playwright-core';
import { chromiumPath, openPage, type PageOptions, startBrowser } from '../browser.ts';
import { type ServerProcess, startServer } from '../server-process.ts';

export const widths = {
  control: { width: 1920, height: 1080 },
  desk: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
};
export type Width = keyof typeof widths;
export const widthNames = Object.keys(widths) as Width[];

export interface OpenOptions extends PageOptions {
  readonly on?: Width;
  /** What the person has chosen before, such as `{ theme: 'dark' }`. */
  readonly chosen?: Readonly<Record<string, string>>;
}

export interface PageSuiteOptions {
  /** Of the server. */
  readonly args?: readonly string[];
}

export class PageSuite {
  readonly #cleanup = suiteCleanup();
  readonly #folder = temporaryFolder(this.#cleanup);
  #server: ServerProcess | undefined;
  #browser: Browser | undefined;

  /** From before the first test of the file until after the last one; with the demo plant where no argument says otherwise. */
  constructor({ args = ['--demo'] }: PageSuiteOptions = {}) {
    before(async () => {
      if (chromiumPath === undefined) return;
      this.#server = await startServer(this.#cleanup, { data: this.#folder, args });
      this.#browser = await startBrowser(this.#cleanup);
    });
  }

  get server(): ServerProcess {
    if (this.#server === undefined) throw new Error('the server has not been started');
    return this.#server;
  }

  get folder(): string {
    return this.#folder;
  }

  /** A page at this path, in English unless chosen otherwise. */
  async open(t: TestContext, path: string, { on = 'desk', chosen = {}, ...options }: OpenOptions = {}): Promise<Page> {
    if (this.#browser === undefined) throw new Error('the browser has not been started');
    const touch = on === 'phone' ? { hasTouch: true, isMobile: true } : {};
    const page = await openPage(this.#browser, { scope: t, ...widths[on], ...touch, ...options });
    const stored = Object.entries({ language: 'en', ...chosen });
    const script = stored.map(([name, value]) => `localStorage['telltale.${name}'] = '${value}'`);
    await page.addInitScript({
      content: `if (!localStorage.chosen) { ${script.join(';')}; localStorage.chosen = '1'; }`,
    });
    await page.goto(new URL(path, this.server.url).href);
    return page;
  }
}
