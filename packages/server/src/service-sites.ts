// How a centre serves its sites: what it answers itself of each of them, and what is recorded of what it forwards.
import { randomUUID } from 'node:crypto';
import { declarationOf, type Permission, ProblemError, systemClock } from '@telltale/schema';
import { objectOf, operationRoutes, type Route, Router, type RoutesOfSite } from './api/index.ts';
import type { AskedOutcome, ServedBy, ViewedSite } from './federation/index.ts';
import {
  type Asking,
  archiveReads,
  areasAt,
  explainAway,
  type Gate,
  type GatedOperation,
  type InterfacePaths,
  liveObjects,
  type StackAccess,
} from './operations/index.ts';
import type { Settings } from './settings.ts';

export interface ServiceSites {
  readonly settings: Settings;
  readonly gate: Gate;
  readonly instances: StackAccess;
  readonly paths: InterfacePaths;
  /** Of the service itself: those of a site are the same. */
  readonly routes: readonly Route[];
}

export function servedSites(parts: ServiceSites): ServedBy {
  const { gate, settings } = parts;
  const known = new Router(parts.routes, (route) => ({ route, operation: gate.operation(route.id, route) }));
  const unknown = gate.operation('request', {
    effect: { action: 'operate', resource: 'sites' },
    permission: 'signed-in',
    audited: true,
  });
  return {
    routesOf: (viewed) => routesOfSite(parts, viewed),
    record: async ({ method, path, caller, source }, work) => {
      const found = known.findIfThere({ method, url: path });
      const operation = found?.endpoint.operation ?? unknown;
      if (operation.audited) gate.checkRecorded(operation);
      const object = found === undefined ? path : objectOf(found.params);
      const forwarded = await carryOut(gate, operation, { caller, credentials: { source } }, object, work);
      forwarded.answer();
    },
    recorderOf: (asking) => (name, object, work) => {
      const operation = gate.operation(name, declarationOf(name));
      // Nobody waits for the record; what the site has not answered has one of its own.
      carryOut(gate, operation, asking, object, work).catch(() => undefined);
    },
    mostMessageBytes: settings['max-message-size'],
  };
}

/** At a site, and has it recorded. */
async function carryOut<Outcome extends AskedOutcome>(
  gate: Gate,
  operation: GatedOperation,
  asking: Asking,
  object: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  return gate.carryOut(operation, asking, object, async (note) => {
    const outcome = await work().catch((error: unknown) => {
      // Who may not do it can have nothing done, whatever becomes of the answer.
      const mayDo = asking.caller.rights.has(operation.permission as Permission);
      note({ isRefused: !mayDo || (error instanceof ProblemError && error.problem === 'site-away') });
      throw error;
    });
    const { id, status, problem: result } = outcome;
    note({ new: { request: id, status }, result, isRefused: status >= 400 && status < 500 });
    return outcome;
  });
}

function routesOfSite(
  { settings, gate, instances: stacks, paths }: ServiceSites,
  { site, data, archive: store, isLive, away }: ViewedSite,
): RoutesOfSite {
  const live = liveObjects({ data, stacks, boot: `${site}-${randomUUID().slice(0, 8)}` });
  const { listMeasurements, getMeasurement, listCommands, getCommand, getCommandByAlias } = live;
  const { listAlarms, getAlarm, listAreas, readLiveObjects } = live;
  const ofPoints = { listMeasurements, getMeasurement, listCommands, getCommand, getCommandByAlias };
  const implementations = {
    ...(isLive && { ...ofPoints, listAlarms, getAlarm, listAreas, readLiveObjects }),
    ...(away !== undefined && { explainMeasurement: explainAway(data, away) }),
    ...(store !== undefined && archiveReads({ archive: store, data, clock: systemClock })),
  };
  const ofSite = gate.to(areasAt(data));
  const atSite = { ...paths, data: `/sites/${site}${settings['data-path']}` };
  return {
    site,
    routes: operationRoutes({ implementations, paths: atSite, gate: ofSite, limits: settings }),
    gate: ofSite,
  };
}
