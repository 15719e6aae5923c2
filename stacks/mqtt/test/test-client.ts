// A client of a broker that keeps the newest message of each topic, for worlds of the conformance suite.
import { connect } from 'node:net';
import { until } from '@telltale/stack-kit/testing';
import { MqttClient } from 'mqtt';

export class BrokerClient {
  readonly newest = new Map<string, string>();
  readonly #client: MqttClient;

  static async open(
    port: number,
    filter = '#',
    onMessage?: (topic: string, payload: Buffer) => void,
  ): Promise<BrokerClient> {
    const client = new BrokerClient(port);
    if (onMessage !== undefined) client.#client.on('message', onMessage);
    await new Promise<void>((resolve, reject) => {
      client.#client.once('connect', () => resolve());
      client.#client.once('error', reject);
      client.#client.once('close', () => reject(new Error('the broker has closed the connection')));
    });
    client.#client.removeAllListeners('error').on('error', () => undefined);
    await client.#client.subscribeAsync(filter, { qos: 1 });
    return client;
  }

  private constructor(port: number) {
    const stream = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#client = new MqttClient(() => stream as never, { protocolVersion: 5, reconnectPeriod: 0, log: () => {} });
    this.#client.on('message', (topic, payload) => this.newest.set(topic, payload.toString()));
  }

  async publish(topic: string, payload: string | Buffer, retain = false): Promise<void> {
    await this.#client.publishAsync(topic, payload, { qos: 1, retain });
  }

  /** Publishes, and waits for the next message at the other topic. */
  async ask(topic: string, payload: string, answerTopic: string): Promise<string> {
    this.newest.delete(answerTopic);
    await this.publish(topic, payload);
    await until(`an answer at ${answerTopic}`, () => this.newest.has(answerTopic), { deadlineMs: 2000 });
    return this.newest.get(answerTopic) ?? '';
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true);
  }
}
