// Implements the operations of process pictures and named trends.
import { type Picture, ProblemError, pictureFields, type Trend } from '@telltale/schema';
import type { Caller } from '../../access/index.ts';
import type { AskableConfiguration } from '../../cfgdb/index.ts';
import type { MaySee, ShownFamilies, ShownObjects } from '../../pictures/index.ts';
import { collectionText, picked } from '../collection-text.ts';
import type { Asked, Implementations } from './implementation.ts';

interface Listing {
  readonly names?: readonly string[];
  readonly fields?: readonly string[];
}

/** An SVG is long: it is sent where it is asked for. */
const briefly = pictureFields.filter((field) => field !== 'svg');

export function pictures({ pictures, trends }: ShownFamilies, cfgdb: AskableConfiguration) {
  return {
    listPictures: listing(pictures, briefly),
    getPicture: getting(pictures, 'picture'),
    cleanPicture: (_, { caller, whole }) => cfgdb.as(caller).call('cleanPicture', whole),
    listTrends: listing(trends),
    getTrend: getting(trends, 'trend'),
  } satisfies Partial<Implementations>;
}

function listing(shown: ShownObjects<Picture> | ShownObjects<Trend>, most?: readonly string[]) {
  return {
    run: ({ names, fields = most }: Listing, { caller }: Asked) => {
      const listed = names && new Set(names);
      const seen: (Picture | Trend)[] = shown.seen(maySee(caller));
      const chosen = seen.filter(({ name }) => listed?.has(name) ?? true);
      return collectionText(chosen.map((object) => [object.name, picked(object, fields)]));
    },
    version: ({ caller }: Asked) => shown.versionOfSeen(maySee(caller)),
  };
}

/** The gate has looked at who may see it. */
function getting(shown: ShownObjects<Picture> | ShownObjects<Trend>, one: string) {
  return {
    run: ({ name }: { name: string }) => {
      const object = shown.find(name);
      if (object !== undefined) return object;
      throw new ProblemError('unknown-object', `There is no ${one} ${JSON.stringify(name.slice(0, 80))}.`);
    },
    version: (_: Asked, { name }: { name: string }) => shown.versionOf(name),
  };
}

function maySee({ rights }: Caller): MaySee {
  return (name, area) => rights.on('view', name, area);
}
