// A trend of eight pens over a year in a real browser: the time until it is drawn, what a frame of panning costs its main thread,
// against the same window of one pen, and whether its memory grows.

import { TelltaleClient } from '@telltale/client';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { CDPSession, Page } from 'playwright-core';
import { chromiumPath, openPage, startBrowser } from '../test/browser.ts';
import { put } from '../test/live-plant.ts';
import { startServer } from '../test/server-process.ts';
import { atMost, type Benchmark, median, type Say, takeTurns } from './measure.ts';

const pens = 8;
const yearS = 365 * 86_400;
const firstDrawMs = 1000;
const frameMs = 12;
const frames = 90;
/** So much the garbage that is left differs from time to time. */
const growthMb = 3;
/** `TREND_MINUTES=10` is the long form. */
const minutes = Number(process.env.TREND_MINUTES ?? 0.5);
const names = Array.from({ length: pens }, (_, at) => `pen_${at}`);

export const webTrend: Benchmark = {
  name: 'web-trend',
  title: `A trend of ${pens} pens over a year`,
  async run(say, { quick }) {
    if (chromiumPath === undefined) {
      say('there is no Chromium: left out');
      return [];
    }
    await using cleanup = new AsyncDisposableStack();
    const server = await startServer(cleanup, { data: temporaryFolder(cleanup), args: [] });
    const until = await fill(server.url, quick ? 3600 : 60, say);
    const page = await openPage(await startBrowser(cleanup), { scope: cleanup });
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(`${server.url}/trends`);
    await page.getByText('● Live').waitFor();
    const year = (shown: readonly string[]) => `/trends?pens=${shown.join()}&from=${until - yearS}&until=${until}`;
    // Another view in between: nothing is left of what was read before.
    const draw = async (shown: readonly string[]) => {
      await page.evaluate(`history.pushState({}, '', '/forced'); dispatchEvent(new PopStateEvent('popstate'));`);
      await page.locator('.trends').waitFor({ state: 'detached' });
      return await show(page, year(shown));
    };
    const [eightMs = 0, oneMs = 1] = await takeTurns(
      quick ? 3 : 5,
      () => draw(names),
      () => draw(names.slice(0, 1)),
    );
    say(`drawn after ${eightMs.toFixed(0)} ms, one pen after ${oneMs.toFixed(0)} ms`);
    await draw(names);
    const costs = [];
    for (let round = 0; round < (quick ? 3 : 5); round++) costs.push(await pan(page, session));
    const cost = median(costs);
    const grown = await growth(page, session, say);
    return [
      atMost(`ms until ${pens} pens over a year are drawn`, eightMs, firstDrawMs),
      { what: 'the same / one pen', figure: (eightMs / oneMs).toFixed(1) },
      atMost('ms of the main thread for a frame of panning', cost, frameMs),
      atMost(`MB by which the heap has grown in ${minutes} minutes of panning`, grown, growthMb),
    ];
  },
};

/** Returns the end of the year, in seconds since 1970. */
async function fill(url: string, stepS: number, say: Say): Promise<number> {
  const client = new TelltaleClient({ url });
  await client.configuration.transaction(
    names.map((name, at) => put('measurements', name, { datatype: 'd', eu: `unit ${at % 3}` })),
    { render: true },
  );
  const until = Math.floor(Date.now() / 1000) - 60;
  // So that the window may move back.
  const from = until - yearS - 30 * 86_400;
  for (const [at, name] of names.entries()) {
    let value = at * 10;
    for (let day = from; day < until; day += 30 * 86_400) {
      const lines = ['time,value'];
      for (let s = day; s < Math.min(until, day + 30 * 86_400); s += stepS) {
        value += Math.sin(s / 40_000 + at) + Math.sin(s * 7.3) * 2;
        lines.push(`${s},${value.toFixed(2)}`);
      }
      await client.archive.backfillCsv('measurements', name, new TextEncoder().encode(lines.join('\n')));
    }
  }
  say(`${Math.round((pens * (until - from)) / stepS / 1e5) / 10} million records`);
  return until;
}

/** Milliseconds until the window is drawn with all that was read for it. */
async function show(page: Page, address: string): Promise<number> {
  return (await page.evaluate(`new Promise((resolve) => {
    performance.clearResourceTimings();
    const start = performance.now();
    history.pushState({}, '', ${JSON.stringify(address)});
    dispatchEvent(new PopStateEvent('popstate'));
    const look = () => {
      const isBusy = document.querySelector('.trend-plot')?.getAttribute('aria-busy') !== 'false';
      const hasRead = performance.getEntriesByType('resource').some(({ name }) => name.includes('max-points'));
      if (hasRead && !isBusy) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
      else setTimeout(look, 2);
    };
    look();
  })`)) as number;
}

/** Milliseconds of the main thread for each frame of a drag back and forth. */
async function pan(page: Page, session: CDPSession): Promise<number> {
  const before = await busyMs(session);
  await page.evaluate(`new Promise((resolve) => {
    const over = document.querySelector('.trend-over');
    const { left, top, width } = over.getBoundingClientRect();
    const send = (type, x) =>
      over.dispatchEvent(
        new PointerEvent(type, { bubbles: true, pointerId: 1, pointerType: 'touch', clientX: x, clientY: top + 50, button: 0 }),
      );
    let frame = 0;
    send('pointerdown', left + width / 2);
    const move = () => {
      send('pointermove', left + width / 2 + 200 * Math.sin(frame / 15));
      if (++frame < ${frames}) requestAnimationFrame(move);
      else {
        send('pointermove', left + width / 2);
        send('pointerup', left + width / 2);
        resolve();
      }
    };
    move();
  })`);
  return ((await busyMs(session)) - before) / frames;
}

async function busyMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}

/** After one round that fills what is kept. */
async function growth(page: Page, session: CDPSession, say: Say): Promise<number> {
  const heap = async () => {
    for (let count = 0; count < 3; count++) await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6;
  };
  const wander = async () => {
    await page.locator('.trend-plot').focus();
    for (const key of ['+', '+', '+', 'ArrowLeft', 'ArrowLeft', '-', '-', 'ArrowRight', 'ArrowRight', '-']) {
      await page.keyboard.press(key);
      await page.waitForTimeout(60);
    }
    await pan(page, session);
  };
  for (let count = 0; count < 4; count++) await wander();
  const before = await heap();
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end) await wander();
  const after = await heap();
  say(`heap ${before.toFixed(1)} MB, ${minutes} minutes later ${after.toFixed(1)} MB`);
  return after - before;
}
