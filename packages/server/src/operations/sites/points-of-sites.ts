// Points of all sites of a centre, such as those that are bad: each site that may have some is asked, in the name of who wants them.
// Which ones have none, their heartbeats say.
import {
  checker,
  type InputOf,
  LiveMeasurement,
  measurementFields,
  parseJson,
  type QualityWord,
  type SitesPoint,
  type SitesPoints,
} from '@telltale/schema';
import Type from 'typebox';
import type { Caller } from '../../access/index.ts';
import { eachSite, queryOf } from './each-site.ts';
import type { SeenSite } from './seen-sites.ts';
import type { SitesParts } from './sites-parts.ts';

type Input = InputOf<'listPointsOfSites'>;

export interface AskedPoints {
  readonly input: Input;
  readonly caller: Caller;
  /** Of the interface of a site. */
  readonly dataPath: string;
  readonly signal: AbortSignal;
}

const usualLimit = 1000;
const usualQualities: readonly QualityWord[] = ['bad', 'uncertain'];
const fields = measurementFields.filter((each) => each !== 'connector' && each !== 'precision');
const answers = checker(Type.Record(Type.String(), LiveMeasurement));

export async function pointsOfSites(
  parts: Pick<SitesParts, 'ask'>,
  seen: readonly SeenSite[],
  { input: { site: _, limit = usualLimit, ...selector }, caller, dataPath, signal }: AskedPoints,
): Promise<SitesPoints> {
  const quality = selector.quality ?? usualQualities;
  const path = `${dataPath}/measurements?${queryOf({ ...selector, quality, fields })}`;
  const mayHave = seen.filter((site) => hasSome(site, quality));
  let count = 0;
  const pointsOf = async (site: SeenSite) => {
    const found = readPoints(await parts.ask(site.id, path, caller, signal), site);
    count += found.length;
    return found;
  };
  const { good, incomplete, isAll } = await eachSite(mayHave, signal, pointsOf, () => count >= limit);
  return { points: good.flat().slice(0, limit), 'has-more': !isAll || count > limit, incomplete };
}

/** As it was counted by the site, a heartbeat ago. */
function hasSome({ state, points }: SeenSite, wanted: readonly QualityWord[]): boolean {
  return state === 'down' || points === null || wanted.some((word) => points[word] > 0);
}

function readPoints(text: string, { id, name }: SeenSite): SitesPoint[] {
  const said = parseJson(text);
  if (!answers.fits(said)) throw new Error('what the site answers is not understood');
  return Object.values(said as Record<string, LiveMeasurement>)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((point) => ({ site: id, 'site-name': name, ...point }));
}
