// A person without a mouse: goes to what can be used by Tab alone.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

const mostTabs = 200;

/** Until this has the focus; fails where Tab never leads there. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < mostTabs; tabs++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not lead to ${target}`);
}
