// Simulated sites in a process of their own: says every 200 ms how they are.
import { endWithStarter, tellStarter } from '../packages/server/test/bus/part-process.ts';
import { Pattern } from './pattern-archive.ts';
import { UplinkSite } from './uplink-site.ts';

export interface SiteStart {
  readonly id: string;
  /** Of its first scan, by the time of day. */
  readonly startMs: number;
}

export interface SitesOptions {
  readonly url: string;
  readonly sites: readonly SiteStart[];
  readonly points: number;
  readonly periodMs: number;
  /** Of each site. */
  readonly scansAtMost: number;
  readonly gatherMs: number;
}

export interface SitesSaid {
  /** Records that were scanned, and those that the store has. */
  readonly scanned: number;
  readonly sent: number;
  /** How many sites have more than one scan that the store does not have. */
  readonly behind: number;
  /** Of the sites that the store does not take anything of now. */
  readonly failures: readonly string[];
  /** When all of it is sent: of each site, of every parcel, until it was answered, in ms. */
  readonly answers: readonly (readonly number[])[];
}

const tellMs = 200;

const { url, sites: starts, points, ...options } = JSON.parse(process.argv[2] ?? '') as SitesOptions;
endWithStarter();
const pattern = new Pattern(points);
const sites = starts.map((start) => new UplinkSite({ ...options, ...start, url, pattern }));
for (const site of sites) site.start();

const sum = (of: (site: UplinkSite) => number) => sites.reduce((total, site) => total + of(site), 0);
function tell(): void {
  const [scanned, sent] = [points * sum(({ scans }) => scans), sum(({ sent }) => sent)];
  const behind = sites.filter(({ scans, sent }) => scans * points - sent > points).length;
  const failures = [...new Set(sites.flatMap(({ failure }) => failure ?? []))];
  const isOver = sent === sites.length * points * options.scansAtMost;
  tellStarter({ scanned, sent, behind, failures, ...(isOver && { answers: sites.map(({ answers }) => answers) }) });
  if (!isOver) setTimeout(tell, tellMs);
}
tell();
