// A plant of alarms for the tests of the page: as many as a flood needs, in two areas, raised and acknowledged over the channel.
import assert from 'node:assert/strict';
import type { AlarmState, Operation } from '@telltale/schema';
import type { Page } from 'playwright-core';
import { CheckedChannel } from '../checked-channel.ts';
import { put } from '../live-plant.ts';
import type { ServerProcess } from '../server-process.ts';

export const severities = 4;

export const alarmName = (index: number) => `a${String(index).padStart(4, '0')}`;

/** From one index to before another. */
export const alarmNames = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => alarmName(from + at));

/** Every tenth alarm is in the south, the others are in the north. The severity goes round, from 0 on. */
export function alarmPlant(count: number): Operation[] {
  return Array.from({ length: count }, (_, index) =>
    put('alarms', alarmName(index), {
      severity: index % severities,
      description: `Fault of drive ${index}`,
      area: index % 10 === 0 ? 'south' : 'north.line1',
      archMode: 'change',
    }),
  );
}

export async function render(server: ServerProcess, operations: readonly Operation[]): Promise<void> {
  const answer = await server.send('POST', '/cfgdb/txn?render=1', { operations });
  assert.equal(answer.status, 204, await answer.text());
}

/** Somebody else who works with the alarms while a page is looked at. */
export class AlarmPlant {
  readonly #channel: CheckedChannel;

  static async open(server: ServerProcess): Promise<AlarmPlant> {
    return new AlarmPlant(await CheckedChannel.open(server.url));
  }

  private constructor(channel: CheckedChannel) {
    this.#channel = channel;
  }

  async operate(opcode: 'activate' | 'deactivate' | 'acknowledge', names: readonly string[]): Promise<void> {
    await this.#channel.done('OperateAlarms', { operations: names.map((name) => ({ name, opcode })) });
  }

  /** All are inactive and acknowledged. */
  async calm(count: number): Promise<void> {
    await this.operate('deactivate', alarmNames(0, count));
    await this.operate('acknowledge', alarmNames(0, count));
  }

  /** The names of those in this state. */
  async inState(wanted: AlarmState): Promise<string[]> {
    const { alarms } = await this.#channel.done('ReadAlarms', { fields: ['state'] });
    const states = Object.entries(alarms as Record<string, { readonly state: AlarmState }>);
    return states.filter(([, { state }]) => state === wanted).map(([name]) => name);
  }

  close(): void {
    this.#channel.socket.terminate();
  }
}

/** The names of the rows that are on the screen, from top to bottom. */
export async function namesOnScreen(page: Page): Promise<string[]> {
  return (await page.evaluate(`(() => {
    const grid = document.querySelector('.grid-scroll');
    const box = grid.getBoundingClientRect();
    const top = box.top + grid.querySelector('.grid-head').getBoundingClientRect().height;
    return [...grid.querySelectorAll('[data-alarm]')]
      .map((each) => [each.closest('[role=row]').getBoundingClientRect(), each.dataset.alarm])
      .filter(([row]) => row.top + row.height / 2 > top && row.top + row.height / 2 < box.bottom)
      .sort(([a], [b]) => a.top - b.top)
      .map(([, name]) => name);
  })()`)) as string[];
}
