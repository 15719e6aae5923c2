// How a centre serves its sites: what it answers itself of each of them, and what is recorded of what it forwards.
import { randomUUID } from 'node:crypto';
import { ProblemError, systemClock } from '@telltale/schema';
import { objectOf, operationRoutes, type Route, Router, type RoutesOfSite } from './api/index.ts';
import type { ServedBy, ViewedSite } from './federation/index.ts';
import {
  archiveReads,
  areasAt,
  explainAway,
  type Gate,
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
  const { gate } = parts;
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
      const forwarded = await gate.carryOut(operation, { caller, credentials: { source } }, object, async (note) => {
        const outcome = await work().catch((error: unknown) => {
          note({ isRefused: error instanceof ProblemError && error.problem === 'site-away' });
          throw error;
        });
        const { id, status, problem: result } = outcome;
        note({ new: { request: id, status }, result, isRefused: status >= 400 && status < 500 });
        return outcome;
      });
      forwarded.answer();
    },
  };
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
