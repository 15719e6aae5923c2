// A site that carries out commands: it says which.
import { systemClock } from '@telltale/schema';
import { BusConnection, OutcomeLog, parseBusAddress, SiteBeats, SiteExchanges } from '../../src/bus/index.ts';
import { endWithStarter, tellStarter } from './part-process.ts';

export interface CommandSiteOptions {
  readonly folder: string;
  readonly url: string;
  readonly site: string;
}

export interface CommandSiteSaid {
  readonly isUp: boolean;
  readonly done: readonly string[];
}

const { folder, url, site } = JSON.parse(process.argv[2] ?? '') as CommandSiteOptions;
endWithStarter();
const bus = new BusConnection({
  clock: systemClock,
  address: parseBusAddress(url),
  name: site,
  inbox: `inbox.${site}`,
});
const outcomes = await OutcomeLog.open(folder);
const done: string[] = [];
const run = `run${process.pid}`;
const common = { bus, clock: systemClock, site, run };
const exchanges = new SiteExchanges({
  ...common,
  epoch: () => null,
  outcomes,
  handle: ({ request, stream, answer }) => {
    done.push(request.path);
    tellStarter({ done });
    stream.resume();
    answer({ status: 204, headers: {} }, true);
  },
});
exchanges.start();
bus.observe(({ isUp }) => tellStarter({ isUp }));
bus.start();
new SiteBeats({ ...common, version: '1', facts: () => ({ name: site, epoch: null, uplink: null }) }).start();
