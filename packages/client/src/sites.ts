// The sites of a centre, each and together, over HTTP.
import type { AlarmState, CentreSite, SitesAlarms, SitesPoints, SitesTransitions } from '@telltale/schema';
import { type AlarmSelector, criteriaOf, type MeasurementSelector } from './criteria.ts';
import { OperationCalls } from './operation-calls.ts';
import type { AskOptions, Transport } from './transport.ts';

interface OfSites extends AskOptions {
  /** Ids or names; without it, all sites. */
  readonly sites?: readonly string[] | undefined;
  readonly limit?: number | undefined;
}

export type SitesPointsOptions = OfSites & MeasurementSelector;

export interface SitesAlarmsOptions extends OfSites, AlarmSelector {
  readonly severity?: number | undefined;
  readonly states?: readonly AlarmState[] | undefined;
}

export interface SitesTransitionsOptions extends SitesAlarmsOptions {
  /** Seconds since 1970, or, less than zero, back from now. */
  readonly since: number;
  /** Without it: now. */
  readonly until?: number | undefined;
  /** `next` of the page before. */
  readonly before?: string | undefined;
}

export class Sites {
  readonly #calls: OperationCalls;

  constructor(transport: Transport) {
    this.#calls = new OperationCalls(transport);
  }

  /** By id; empty where the service is no centre. It has no prototype. */
  list({ signal }: AskOptions = {}): Promise<Record<string, CentreSite>> {
    return this.#calls.collection('listSites', {}, { signal });
  }

  /** By its id; or by its name, where only one site has it. */
  get(site: string, { signal }: AskOptions = {}): Promise<CentreSite> {
    return this.#calls.json('getSite', { site }, { signal });
  }

  /** Those that are active or wait to be acknowledged, the most severe first. */
  alarms(options: SitesAlarmsOptions = {}): Promise<SitesAlarms> {
    return this.#calls.json('listAlarmsOfSites', alarmsIn(options), { signal: options.signal });
  }

  /** Those that are bad or uncertain, or of another quality. */
  points(options: SitesPointsOptions = {}): Promise<SitesPoints> {
    const { sites, limit, names, signal } = options;
    const input = { ...criteriaOf(options), site: sites?.join(','), names: names?.join(','), limit };
    return this.#calls.json('listPointsOfSites', input, { signal });
  }

  /** A page of what alarms did, the newest first. */
  transitions(options: SitesTransitionsOptions): Promise<SitesTransitions> {
    const { since, until, before, signal } = options;
    const input = { ...alarmsIn(options), t_since: since, t_until: until, before };
    return this.#calls.json('listTransitionsOfSites', input, { signal });
  }
}

function alarmsIn(options: SitesAlarmsOptions) {
  const { sites, limit, names, severity, states } = options;
  const { area, search, connector } = criteriaOf(options);
  const lists = { site: sites?.join(','), names: names?.join(','), state: states?.join(',') };
  return { ...lists, area, search, connector, severity, limit };
}
