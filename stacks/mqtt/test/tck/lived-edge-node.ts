// One life of an edge node with everything in it, and what it sent: for the statements that look at that.
import { quality } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { LinkedProvider } from '../linked-provider.ts';
import { Mosquitto } from '../mosquitto.ts';
import { sendCommand } from '../watched-edge-node.ts';
import { type Published, Traffic } from './traffic.ts';

const { communicationFailure } = quality.bad;
const rebirth = { name: 'Node Control/Rebirth', type: 'Boolean', value: true };

export class LivedEdgeNode {
  startedMs = 0;
  stoppedMs = 0;
  /** What the broker sent on, last wills included. */
  deaths: Uint8Array[] = [];
  readonly published: Published[] = [];
  #traffic: Traffic | undefined;

  get traffic(): Traffic {
    if (this.#traffic === undefined) throw new Error('it has not lived yet');
    return this.#traffic;
  }

  async live(cleanup: AsyncDisposableStack): Promise<void> {
    this.startedMs = Date.now();
    const broker = await Mosquitto.start();
    cleanup.defer(() => broker.stop());
    const traffic = await Traffic.to(broker.port);
    this.#traffic = traffic;
    cleanup.defer(() => traffic.stop());
    const heard = await broker.sub('spBv1.0/G/NDEATH/E');
    cleanup.defer(() => heard.stop());
    const vars = { port: `${traffic.port}`, format: 'sparkplug', group: 'G', node: 'E' };
    const p = new LinkedProvider({ vars, folder: temporaryFolder(cleanup) });
    cleanup.defer(async () => void (await p.stop()));
    const member = (name: string, device: string) => ({
      name: `${device}_${name}`,
      address: `Pump/${name}`,
      properties: { device, template: 'PumpType' },
    });
    p.setPoints(
      [
        { name: 'hours', address: 'Hours', datatype: 'l' },
        { name: 'state', address: 'State', datatype: 's' },
        { name: 'flow', address: 'Flow', properties: { device: 'A' }, eu: 'm³/h' },
        { name: 'level', address: 'Level', datatype: 'i', properties: { device: 'A' } },
        { name: 'other', address: 'Flow', properties: { device: 'B' } },
        { ...member('Power', 'A') },
        { ...member('Power', 'B') },
        { ...member('Heat', 'B') },
        { name: 'current', address: 'B#Currents[0]', properties: { part: 'element' } },
        { name: 'water', address: 'B#Recipe[0]/Water', datatype: 'i', properties: { part: 'cell' } },
        { name: 'grain', address: 'B#Recipe[0]/Grain', datatype: 's', properties: { part: 'cell' } },
      ],
      [
        { name: 'limit', address: 'Limit', datatype: 'i' },
        { name: 'speed', address: 'Speed', properties: { device: 'A' } },
      ],
    );
    p.publish('hours', 5n);
    p.publish('flow', 1.5, 0xc0, (this.startedMs - 60_000) * 1000);
    p.publish('level', 3);
    p.publish('other', 1);
    p.publish('current', 2);
    p.publish('water', -5);
    p.publish('grain', 'rye');
    const count = (kind: string) => traffic.published(kind).length;
    await p.start();
    await until('the births', () => count('DBIRTH') === 2);
    p.publish('hours', 6n);
    await until('data of the edge node', () => count('NDATA') === 1);
    p.publish('flow', 2.5, quality.uncertain.lastUsableValue);
    p.publish('level', -3, quality.bad.sensorFailure);
    p.publish('A_Power', 4);
    await until('data of the device', () => count('DDATA') === 1);
    await sendCommand(broker, 'spBv1.0/G/NCMD/E', [{ name: 'Limit', type: 'Int32', value: 7 }]);
    await sendCommand(broker, 'spBv1.0/G/DCMD/E/A', [{ name: 'Speed', type: 'Double', value: 8 }]);
    await until('the commands', () => p.written.length === 2);
    await until('their values', () => count('NDATA') === 2 && count('DDATA') === 2);
    for (const name of ['flow', 'level', 'A_Power']) p.publish(name, undefined, communicationFailure);
    await until('the death of the device', () => count('DDEATH') === 1);
    for (const name of ['flow', 'level', 'A_Power']) p.publish(name, 1);
    await until('its next birth', () => count('DBIRTH') === 3);
    await sendCommand(broker, 'spBv1.0/G/NCMD/E', [rebirth]);
    await until('the births again', () => count('NBIRTH') === 2 && count('DBIRTH') === 5);
    // More than 255, so that the sequence starts over.
    for (let turn = 1; turn <= 260; turn++) {
      p.publish('hours', BigInt(100 + turn));
      await until('the next data', () => count('NDATA') === 2 + turn);
    }
    await p.stop();
    await until('the death', () => heard.messages.length === 2);
    await p.start();
    await until('the next birth', () => count('NBIRTH') === 3);
    traffic.cut();
    await p.lost();
    await until('the last will', () => heard.messages.length === 3);
    this.deaths = heard.messages.map(({ payload }) => payload);
    this.published.push(...traffic.published());
    this.stoppedMs = Date.now();
  }

  readonly of = (...kinds: string[]) => this.published.filter(({ kind }) => kinds.includes(kind));
  readonly metricsOf = (...kinds: string[]) => this.of(...kinds).flatMap(({ metrics }) => metrics);
  readonly isNow = (ms: number | undefined) => ms !== undefined && ms >= this.startedMs && ms <= this.stoppedMs;

  /** All messages with a sequence number, a life after the other. */
  readonly lives = () => {
    const all: Published[][] = [];
    for (const each of this.published) {
      if (each.kind === 'NBIRTH') all.push([]);
      if (each.kind !== 'NDEATH') all.at(-1)?.push(each);
    }
    return all;
  };
}
