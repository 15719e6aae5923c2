// The service itself: readiness, version, metrics.
import type { Degradation, NodeSwitch, Overview, SettingInEffect } from '@telltale/schema';
import { OperationCalls } from './operation-calls.ts';
import type { AskOptions, Transport } from './transport.ts';

export interface MetricSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

export interface ServiceReadiness {
  /** What is to be done soon: a sentence each. */
  readonly warnings: readonly string[];
  /** What other machines do not do for it, such as its store. */
  readonly degraded: readonly Degradation[];
}

export class ServiceAccess {
  readonly #transport: Transport;
  readonly #data: OperationCalls;

  /** The transport of the service, and that of the data-access interface. */
  constructor(transport: Transport, data: Transport) {
    this.#transport = transport;
    this.#data = new OperationCalls(data);
  }

  /** Where the service is, with a slash at its end. */
  get url(): string {
    return this.#transport.base;
  }

  /** Resolves where the service can do its work; a TelltaleProblem says why not. */
  async ready({ signal }: AskOptions = {}): Promise<void> {
    await this.#transport.text('readyz', { signal });
  }

  /** What is to be said though the service does its work. Rejects where it does not. */
  async readiness({ signal }: AskOptions = {}): Promise<ServiceReadiness> {
    const { warnings = [], degraded = [] } = await this.#transport.json<Partial<ServiceReadiness>>('readyz', {
      signal,
    });
    return { warnings, degraded };
  }

  /** The state of service and plant in counts, at most a second old: cheap enough to be asked for again and again. */
  overview({ signal }: AskOptions = {}): Promise<Overview> {
    return this.#data.json('getOverview', {}, { signal });
  }

  /**
   * A planned switchover: another node of the site leads in place of this one; `to` may be left out where there are two. Rejects where
   * nothing has changed, and at a node that does not lead: the problem says which one does.
   */
  switchNode(to?: string, { signal }: AskOptions = {}): Promise<NodeSwitch> {
    return this.#data.json('switchNode', { to }, { signal });
  }

  /** By name: the value in effect, and where it comes from. */
  settings({ signal }: AskOptions = {}): Promise<Record<string, SettingInEffect>> {
    return this.#data.json('listSettings', {}, { signal });
  }

  async version({ signal }: AskOptions = {}): Promise<string> {
    const { info } = await this.#transport.json<{ info?: { version?: unknown } }>('openapi.json', { signal });
    return String(info?.version ?? '');
  }

  async metrics({ signal }: AskOptions = {}): Promise<MetricSample[]> {
    return readMetrics(await this.#transport.text('metrics', { signal }));
  }
}

/** Reads the text format of Prometheus; what is no sample is passed over. */
export function readMetrics(text: string): MetricSample[] {
  const samples: MetricSample[] = [];
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    samples.push({ name, labels: readLabels(labels), value: Number(value.replace('Inf', 'Infinity')) });
  }
  return samples;
}

function readLabels(text: string): Map<string, string> {
  const labels = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)) {
    labels.set(
      name,
      value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
    );
  }
  return labels;
}
