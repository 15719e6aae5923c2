// Promises of the page of two nodes of one site: whoever looks at the one that waits knows it, and where to go.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { suiteCleanup } from '@telltale/stack-kit/testing/cleanup';
import type { Browser } from 'playwright-core';
import { noChromium, openPage, startBrowser } from '../browser.ts';
import { Etcd, withoutEtcd } from '../engines/etcd.ts';
import { Pair } from '../standby-pair.ts';
import { violationsOf } from './axe.ts';

describe('the page of a node', { skip: noChromium || withoutEtcd }, () => {
  const scope = suiteCleanup();
  let pair: Pair;
  let browser: Browser;
  before(async () => {
    pair = await Pair.start(scope, await Etcd.start(scope), { ttlMs: 5000 });
    browser = await startBrowser(scope);
  });

  test('of the one that waits says above every view that commands are refused, and leads to the same view where they are not', async (t) => {
    const [leading, waiting] = pair.nodes;
    const page = await openPage(browser, { scope: t });
    await page.goto(`${waiting.server.url}/points`);
    const bar = page.getByRole('region', { name: 'Node' });
    await bar.getByText('Node b waits: a leads works. Commands are refused here.').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await bar.getByRole('link', { name: 'Go to a' }).click();
    await page.waitForURL(`${leading.server.url}/points`);
    await page.getByText('● Live').waitFor();
    assert.equal(await bar.count(), 0);
  });

  test('has no fault to show of a node that waits, as it should', async (t) => {
    const page = await openPage(browser, { scope: t });
    await page.goto(`${pair.nodes[1].server.url}/`);
    await page.getByRole('region', { name: 'Node' }).waitFor();
    await page.getByText('Everything is as it should be').waitFor();
  });

  test('lists in System the nodes and the members of etcd, and who leads', async (t) => {
    const page = await openPage(browser, { scope: t });
    await page.goto(`${pair.nodes[1].server.url}/system`);
    await page.getByRole('row', { name: /^a Leads/ }).waitFor();
    await page.getByRole('row', { name: /^b Standby/ }).waitFor();
    await page.getByRole('row', { name: /^etcd ✓/ }).waitFor();
    await page.getByText('both have the same').waitFor();
    assert.deepEqual(await violationsOf(page), []);
  });

  test('lets another node lead when it is told to, after a question', async (t) => {
    const page = await openPage(browser, { scope: t });
    await page.goto(`${pair.nodes[0].server.url}/system`);
    await page
      .getByRole('row', { name: /^b Standby/ })
      .getByRole('button', { name: 'Switch over …' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Let b lead' }).click();
    await page.getByRole('region', { name: 'Node' }).getByText('Node a waits: b leads works.').waitFor();
    assert.equal((await pair.leader()).name, 'b');
  });

  test('says at once when it leads: the sign is gone, and the other one is missed', async (t) => {
    const leading = await pair.leader();
    const waiting = pair.nodes.find((node) => node !== leading) ?? leading;
    const page = await openPage(browser, { scope: t });
    await page.goto(`${waiting.server.url}/points`);
    await page.getByRole('region', { name: 'Node' }).waitFor();
    await leading.server.end('SIGKILL');
    await page.getByRole('region', { name: 'Node' }).waitFor({ state: 'detached' });
    await page
      .getByRole('region', { name: 'Degraded' })
      .getByText('No other node of the site works is there')
      .waitFor();
  });
});
