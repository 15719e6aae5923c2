// The grid of the page with 100,000 points, of which 20,000 change each second and 60 are seen: what it costs the main thread
// of a browser while nobody does anything, while somebody scrolls and while somebody types a filter, and its memory. Beside
// it, a pool of rows in bare DOM, which shows fixed texts and knows nothing of points; and an empty page.
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { chromiumPath, openPage, startBrowser } from '../test/browser.ts';
import { startServer } from '../test/server-process.ts';
import { atMost, type Benchmark, median, type Result, takeTurns } from './measure.ts';
import { pause } from './peers/peer.ts';
import { measurement } from './plant.ts';
import { post } from './server.ts';

const connectors = 10;
/** Each point has a new value in each scan: with 100,000 points, 20,000 a second. */
const scanPeriodMs = 5000;
const rowsSeen = 60;
const rowHeight = 28;
/** With the frame of the page above and below them. */
const height = rowsSeen * rowHeight + 212;
/** Of a fast wheel: about four rows a frame. */
const pixelsAFrame = 110;

export const webGrid: Benchmark = {
  name: 'web-grid',
  title: 'The page: the grid of all points, live, scrolled and filtered',
  async run(say, { quick }) {
    if (chromiumPath === undefined) {
      say('there is no Chromium: left out');
      return [];
    }
    const count = quick ? 10_000 : 100_000;
    await using cleanup = new AsyncDisposableStack();
    const server = await startServer(cleanup, { data: temporaryFolder(cleanup) });
    await post(`${server.config}/cfgdb/txn`, linksOf());
    await post(`${server.config}/cfgdb/txn?render=1`, pointsOf(count));
    say(`${count} points are there`);
    const browser = await startBrowser(cleanup);
    const grid = await Side.open(browser, `${server.url}/points`);
    await grid.page.getByText(`${count.toLocaleString('en-GB')} of`).waitFor();
    await grid.page.locator('.value .figure').first().waitFor();
    const seen = await grid.page.locator('.grid-body [role=row]').count();
    const bare = await Side.open(browser, 'about:blank');
    await bare.page.evaluate(bareGrid(count));
    const empty = await Side.open(browser, 'about:blank');
    // What came with the start is over.
    await pause(quick ? 3000 : 10_000);

    const [rounds, seconds, frames] = quick ? [1, 3, 60] : [5, 5, 240];
    const [live = 0, still = 0] = await takeTurns(
      rounds,
      () => grid.busyShare(seconds),
      () => empty.busyShare(seconds),
    );
    say(`${seen} rows made; busy: ${percent(live)}, an empty page ${percent(still)}`);
    const [scrolled = 0, scrolledBare = 1] = await takeTurns(
      rounds,
      () => grid.scrollMs(frames),
      () => bare.scrollMs(frames),
    );
    say(`ms a frame: ${scrolled.toFixed(2)}, bare rows ${scrolledBare.toFixed(2)}`);
    const typed: number[] = [];
    for (const text of ['l', 'le', 'lev', 'level', 'level 7', 'level 77', 'level', '', 'turbidity', 'pump', '']) {
      typed.push(await grid.typeMs(text));
    }
    const filled: number[] = [];
    for (let turn = 0; turn < typed.length; turn++) filled.push(await bare.fillMs(turn));
    say(`ms of a key: ${typed.map((each) => each.toFixed(0)).join(' ')}; bare rows ${median(filled).toFixed(0)}`);
    const megabytes = (await grid.heapBytes()) / 1e6;
    const emptyMegabytes = (await empty.heapBytes()) / 1e6;
    const results: Result[] = [
      atMost('busy share of the main thread, 20,000 changes a second', live, 0.2),
      { what: 'the same of an empty page', figure: still.toFixed(3) },
      atMost('ms of the main thread a frame, scrolled', scrolled, 10),
      { what: 'the same / bare rows with fixed texts', figure: (scrolled / scrolledBare).toFixed(1) },
      atMost('ms of the main thread for a key of the filter, median', median(typed), 50),
      { what: 'the same / bare rows filled with other texts', figure: (median(typed) / median(filled)).toFixed(1) },
      atMost('the same, at most', Math.max(...typed), 50),
      atMost('MB of the heap', megabytes, 60),
      { what: 'the same of an empty page', figure: emptyMegabytes.toFixed(1) },
    ];
    return results;
  },
};

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

const plc = (index: number) => `plc${index % connectors}`;

function linksOf(): Buffer {
  const operations = Array.from({ length: connectors }, (_, index) => ({
    operation: 'put',
    family: 'connectors',
    name: plc(index),
    object: { name: plc(index), stackName: 'simulator', vars: { scanPeriodMs: String(scanPeriodMs) } },
  }));
  return Buffer.from(JSON.stringify({ operations }));
}

function pointsOf(count: number): Buffer {
  const operations = Array.from({ length: count }, (_, index) => {
    const { name, description, eu, properties } = measurement(index);
    const address = `sine(low=0, high=${10 + (index % 90)}, period=${60 + (index % 600)})`;
    const area = `works.${name.split('_')[0]}.line${index % 40}`;
    const common = { name, description, eu, properties, area, address, datatype: 'd', archMode: 'none' };
    return { operation: 'put', family: 'measurements', name, object: { ...common, connectorName: plc(index) } };
  });
  return Buffer.from(JSON.stringify({ operations }));
}

class Side {
  readonly page: Page;
  readonly #session: CDPSession;

  constructor(page: Page, session: CDPSession) {
    this.page = page;
    this.#session = session;
  }

  static async open(browser: Browser, url: string): Promise<Side> {
    const page = await openPage(browser, { width: 1600, height });
    const session = await page.context().newCDPSession(page);
    // What the thread has computed, not how long it had to wait for a core.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(url);
    return new Side(page, session);
  }

  async #metric(wanted: string): Promise<number> {
    const { metrics } = await this.#session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === wanted)?.value ?? 0;
  }

  async #busyMs(work: () => Promise<unknown>): Promise<number> {
    const before = await this.#metric('TaskDuration');
    await work();
    return ((await this.#metric('TaskDuration')) - before) * 1000;
  }

  async busyShare(seconds: number): Promise<number> {
    await this.page.bringToFront();
    return (await this.#busyMs(() => pause(seconds * 1000))) / (seconds * 1000);
  }

  /** Milliseconds a frame, scrolled down and at the end up again. */
  async scrollMs(frames: number): Promise<number> {
    await this.page.bringToFront();
    const busy = await this.#busyMs(() => this.page.evaluate(scrolling(frames)));
    return busy / frames;
  }

  /** Milliseconds until the frame with what was typed is made. */
  async typeMs(text: string): Promise<number> {
    await this.page.bringToFront();
    return this.#busyMs(() => this.page.evaluate(typing(text)));
  }

  /** Of bare rows: milliseconds until the frame with other texts in all of them is made. */
  async fillMs(turn: number): Promise<number> {
    await this.page.bringToFront();
    return this.#busyMs(() => this.page.evaluate(filling(turn)));
  }

  async heapBytes(): Promise<number> {
    for (let turn = 0; turn < 3; turn++) await this.#session.send('HeapProfiler.collectGarbage');
    return this.#metric('JSHeapUsedSize');
  }
}

/** Texts, as all that runs in a page: the types of our programs are those of Node, not of a browser. */
const scrolling = (frames: number) => `new Promise((done) => {
  const element = document.querySelector('.grid-scroll');
  let frame = 0;
  let step = ${pixelsAFrame};
  const next = () => {
    const before = element.scrollTop;
    element.scrollTop += step;
    if (element.scrollTop === before) step = -step;
    frame++;
    if (frame < ${frames}) requestAnimationFrame(next);
    else done();
  };
  requestAnimationFrame(next);
})`;

const frameMade = 'requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));';

const typing = (text: string) => `new Promise((done) => {
  const input = document.querySelector('input[type=search]');
  input.value = ${JSON.stringify(text)};
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  ${frameMade}
})`;

const filling = (turn: number) => `new Promise((done) => {
  fill('other text ${turn}');
  ${frameMade}
})`;

/** As many rows and cells as the grid has, moved in the same way, with texts that lie ready. */
const bareGrid = (count: number) => `{
  const style = document.createElement('style');
  style.textContent = \`
    body { margin: 0; font: 14px sans-serif; }
    .grid-scroll { position: relative; height: ${rowsSeen * rowHeight}px; overflow: auto; contain: strict; }
    .row { position: absolute; inset: 0 0 auto; height: ${rowHeight}px; display: grid; contain: strict;
      grid-template-columns: repeat(10, 1fr); border-bottom: 1px solid #ccc; }
    .row div { overflow: hidden; white-space: pre; text-overflow: ellipsis; padding: 0 8px; }\`;
  document.head.append(style);
  const scroll = document.createElement('div');
  scroll.className = 'grid-scroll';
  const body = document.createElement('div');
  body.style.height = '${count * rowHeight}px';
  scroll.append(body);
  document.body.append(scroll);
  const pool = ${rowsSeen + 7};
  const rows = Array.from({ length: pool }, () => {
    const row = document.createElement('div');
    row.className = 'row';
    const cells = Array.from({ length: 10 }, () => row.appendChild(document.createElement('div')).appendChild(new Text()));
    body.append(row);
    return { row, cells, index: -1 };
  });
  const show = () => {
    const first = Math.max(0, Math.min(${count} - pool, Math.floor(scroll.scrollTop / ${rowHeight}) - 3));
    for (let index = first; index < first + pool; index++) {
      const held = rows[index % pool];
      if (held.index === index) continue;
      held.index = index;
      held.row.style.transform = 'translateY(' + index * ${rowHeight} + 'px)';
      for (const [at, text] of held.cells.entries()) text.data = 'text ' + at + ' of ' + index;
    }
  };
  scroll.addEventListener('scroll', show);
  show();
  globalThis.fill = (text) => {
    for (const { cells, index } of rows) for (const [at, cell] of cells.entries()) cell.data = text + at + ' of ' + index;
  };
}`;
