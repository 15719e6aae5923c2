// A server with users for all tests of a file, and pages in which one of them has signed in.
import { before, type TestContext } from 'node:test';
import type { Grant } from '@telltale/schema';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../browser.ts';
import { administrator, closeServer, makeUser, type Person, password } from '../closed-server.ts';
import { type OpenOptions, PageSuite, type PageSuiteOptions } from './page-suite.ts';

export class ClosedSuite {
  readonly suite: PageSuite;
  #admin: Person | undefined;

  /** With these users besides the administrator. */
  constructor(users: Readonly<Record<string, readonly Grant[]>> = {}, options: PageSuiteOptions = {}) {
    this.suite = new PageSuite(options);
    before(async () => {
      if (chromiumPath === undefined) return;
      this.#admin = await closeServer(this.suite.server, this.suite.folder);
      for (const [name, grants] of Object.entries(users)) {
        await makeUser(this.suite.server, this.#admin, name, grants);
      }
    });
  }

  get admin(): Person {
    if (this.#admin === undefined) throw new Error('the server has not been closed');
    return this.#admin;
  }

  async open(t: TestContext, path: string, user = administrator, options: OpenOptions = {}): Promise<Page> {
    const page = await this.suite.open(t, `/access/sign-in?to=${encodeURIComponent(path)}`, options);
    await page.locator('[name=user]').fill(user);
    await page.locator('[name=password]').fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname + url.search === path);
    return page;
  }
}
