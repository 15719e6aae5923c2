// A person without a mouse: goes to what can be used by Tab and arrows alone, and sees at each step where they are.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { until } from '../until.ts';

const mostKeys = 200;

/**
 * What is wrong with how the focus is shown; nothing where the browser itself has it, after the last stop of the page. Something of
 * it has to be in sight, below nothing else, with an outline.
 */
const faultOfFocus = `(() => {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return '';
  // A button inside of a field is the browser's, too.
  if (!focused.matches(':focus')) return '';
  const text = focused.outerHTML.slice(0, 200);
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const isOutlined = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
  if (!focused.matches(':focus-visible') || !isOutlined) return 'no outline: ' + text;
  const { left, top, width, height } = focused.getBoundingClientRect();
  const isSeen = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.5, 0.9]].some(([x, y]) => {
    const found = document.elementFromPoint(left + width * x, top + height * y);
    return found !== null && (focused.contains(found) || found.matches('label') && found.contains(focused));
  });
  return isSeen ? '' : 'out of sight: ' + text;
})()`;

async function seeFocus(page: Page): Promise<void> {
  let fault = '';
  await until('the focus is seen', async () => {
    fault = (await page.evaluate(faultOfFocus)) as string;
    return fault === '';
  }).catch(() => assert.fail(fault));
}

/** Until this has the focus; fails where Tab never leads there, or where the focus is not seen on the way. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let keys = 0; keys < mostKeys; keys++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) {
      await seeFocus(page);
      return;
    }
    await page.keyboard.press('Tab');
    await seeFocus(page);
  }
  assert.fail(`Tab does not lead to ${target}`);
}

/** Tab to it, and Enter. */
export async function enter(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

/** Tab to a field, and what it is to contain in the place of what it does. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

/** Tab to the grid, and down to its row; the row is marked. */
export async function arrowTo(page: Page, grid: Locator, row: Locator): Promise<void> {
  await tabTo(page, grid);
  await row.waitFor();
  for (let keys = 0; keys < mostKeys; keys++) {
    if ((await row.and(page.locator('.active')).count()) > 0) return;
    await page.keyboard.press('ArrowDown');
  }
  assert.fail(`arrows do not lead to ${row}`);
}
