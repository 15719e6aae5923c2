// The devices of the traffic test: each place has its number, and every write that arrives is noted with its place.
import type { Scope } from '@telltale/stack-kit/testing/cleanup';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { LineDevice } from '../packages/server/test/line-device.ts';
import { JsonServer } from '../stacks/http/test/json-server.ts';
import { ScriptedDevice } from '../stacks/modbus/test/scripted-device.ts';
import { type Heard, Mosquitto, withoutMosquitto } from '../stacks/mqtt/test/mosquitto.ts';
import { type ConnectorName, mediumOf, placesOfDevice, rawAt } from './traffic-plant.ts';

export interface Received {
  readonly medium: number;
  readonly place: number;
  readonly raw: number;
}

/** Of the pages, to answer a write: other writes of the command wait meanwhile. */
const slowMs = 20;

const places = Array.from({ length: placesOfDevice }, (_, place) => place);

export class TrafficDevices {
  readonly #variables = new Map<string, Record<string, string>>();
  readonly #received: Received[] = [];
  #heard: Heard | undefined;
  readonly connectors: ConnectorName[] = ['simulator'];

  /** They end with the scope. */
  static async start(scope: Scope): Promise<TrafficDevices> {
    const devices = new TrafficDevices();
    await devices.#startModbus(scope, 'modbus_a');
    await devices.#startModbus(scope, 'modbus_b');
    await devices.#startLines(scope);
    await devices.#startPages(scope);
    for (const variant of [0, 1])
      devices.#variables.set(`simulator ${variant}`, { scanPeriodMs: String(20 + variant) });
    if (withoutMosquitto === false) await devices.#startBroker(scope);
    return devices;
  }

  readonly variables = (connector: ConnectorName, variant: 0 | 1) =>
    this.#variables.get(`${connector} ${variant}`) as Record<string, string>;

  /** The writes that have come since the last call, each as often as it came. */
  takeReceived(): readonly Received[] {
    const published = this.#heard?.messages.splice(0) ?? [];
    const fromBroker = published.map(({ topic, payload }) => ({
      medium: mediumOf('broker', 0),
      place: Number(topic.split('/')[1]),
      raw: Number(payload.toString()),
    }));
    return [...this.#received.splice(0), ...fromBroker];
  }

  /** Two units: which of them is the connector's. */
  async #startModbus(scope: Scope, connector: ConnectorName): Promise<void> {
    const device = await ScriptedDevice.start((unit, request) => {
      const [code, start, count] = [request.slice(0, 2), hex(request, 2), hex(request, 6)];
      const medium = mediumOf(connector, unit === 1 ? 0 : 1);
      if (code === '10') {
        // Neighbours that are written together come together, each of two registers.
        for (let at = 0; at < count; at += 2) {
          const raw = Number.parseInt(request.slice(12 + 4 * at, 20 + 4 * at), 16);
          this.#received.push({ medium, place: (start + at - 500) / 2, raw });
        }
        return request.slice(0, 10);
      }
      const words = Array.from({ length: count }, (_, at) => {
        const place = (start + at - 100) / 2;
        return places.includes(place - 0.5) ? rawAt(medium, place - 0.5) : 0;
      });
      return `${code}${(2 * count).toString(16).padStart(2, '0')}${words.map((word) => word.toString(16).padStart(4, '0')).join('')}`;
    });
    cleanupOf(scope).defer(() => device.stop());
    this.connectors.push(connector);
    for (const variant of [0, 1]) {
      const variables = { host: '127.0.0.1', port: String(device.port), unit: String(1 + variant), scanPeriodMs: '10' };
      this.#variables.set(`${connector} ${variant}`, variables);
    }
  }

  /** Two devices, which tell a value when they are asked and never again. */
  async #startLines(scope: Scope): Promise<void> {
    for (const variant of [0, 1] as const) {
      const medium = mediumOf('lines', variant);
      const note = (write: string) => {
        const [name = '', raw] = write.split('=');
        this.#received.push({ medium, place: Number(name.slice(1)), raw: Number(raw) });
        return undefined;
      };
      const values = places.map((place) => [`r${place}`, rawAt(medium, place)]);
      const device = await LineDevice.start(Object.fromEntries(values), note);
      cleanupOf(scope).defer(() => device.close());
      this.#variables.set(`lines ${variant}`, { port: device.port });
    }
    this.connectors.push('lines');
  }

  /** One server with two folders, which takes its time. */
  async #startPages(scope: Scope): Promise<void> {
    const server = await JsonServer.start();
    cleanupOf(scope).defer(() => server.stop());
    for (const variant of [0, 1] as const) {
      const medium = mediumOf('pages', variant);
      for (const place of places) server.pages.set(`/${variant}/value/${place}`, { body: rawAt(medium, place) });
      this.#variables.set(`pages ${variant}`, { baseUrl: `${server.url}/${variant}`, scanPeriodMs: '20' });
    }
    server.onOther = ({ method, url, body }) => {
      const [, variant, place] = /^\/([01])\/set\/(\d)$/.exec(url) ?? [];
      if (method !== 'PUT' || variant === undefined) return undefined;
      const medium = mediumOf('pages', variant === '0' ? 0 : 1);
      this.#received.push({ medium, place: Number(place), raw: Number(body) });
      return { status: 204, afterMs: slowMs };
    };
    this.connectors.push('pages');
  }

  /** What is retained is told once for each subscription. */
  async #startBroker(scope: Scope): Promise<void> {
    const broker = await Mosquitto.start();
    cleanupOf(scope).defer(() => broker.stop());
    const heard = await broker.sub('set/#');
    cleanupOf(scope).defer(() => heard.stop());
    this.#heard = heard;
    const medium = mediumOf('broker', 0);
    await Promise.all(places.map((place) => broker.pub(`value/${place}`, `${rawAt(medium, place)}`, '-r')));
    for (const variant of [0, 1]) {
      const pingAfterMs = String(500 + variant);
      this.#variables.set(`broker ${variant}`, { port: String(broker.port), retained: 'good', pingAfterMs });
    }
    this.connectors.push('broker');
  }
}

const hex = (text: string, at: number) => Number.parseInt(text.slice(at, at + 4), 16);
