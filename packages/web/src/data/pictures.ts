// Process pictures: those that run, those that are edited, and the last minutes of points as pictures draw them.
import type { CleanedPicture, Picture } from '@telltale/schema';
import { readTraces } from './history.ts';
import type { PointKind } from './live-value.ts';
import { client, TelltaleProblem } from './service.ts';
import type { Trace } from './trace.ts';

export type { Picture } from '@telltale/schema';

/** Without its SVG. */
export type ListedPicture = Omit<Picture, 'svg'>;

export interface PictureList {
  /** Those that run. */
  readonly pictures: readonly ListedPicture[];
  /** Names of those that are configured and do not run yet. */
  readonly unpublished: readonly string[];
}

/** The plant's overview first: the one highest up in the areas, then by area and name. */
export async function listPictures(mayReadConfiguration: boolean, signal: AbortSignal): Promise<PictureList> {
  const [running, configured] = await Promise.all([
    client.pictures.list({ signal }),
    mayReadConfiguration ? client.configuration.names('pictures', { signal }) : [],
  ]);
  const pictures = Object.values(running).sort(byPlace);
  return { pictures, unpublished: configured.filter((name) => !Object.hasOwn(running, name)) };
}

function byPlace(a: ListedPicture, b: ListedPicture): number {
  return depthOf(a) - depthOf(b) || compare(a.area ?? '', b.area ?? '') || compare(a.name, b.name);
}

const depthOf = ({ area = '' }: ListedPicture) => (area === '' ? 0 : area.split('.').length);
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export function getPicture(name: string, signal: AbortSignal): Promise<Picture> {
  return client.pictures.get(name, { signal });
}

/** As people edit it; undefined: there is none of this name. */
export async function getEditedPicture(name: string, signal?: AbortSignal): Promise<Picture | undefined> {
  try {
    return await client.configuration.get('pictures', name, { signal });
  } catch (error) {
    if (error instanceof TelltaleProblem && error.status === 404) return undefined;
    throw error;
  }
}

/** Throws what the service would say to it, and changes nothing. */
export function checkPicture(picture: Picture): Promise<void> {
  return client.configuration.transaction(
    [{ operation: 'put', family: 'pictures', name: picture.name, object: picture }],
    { commit: false },
  );
}

/** What the service would store of an SVG, and what it would remove. */
export function cleanPicture(svg: string): Promise<CleanedPicture> {
  return client.configuration.cleanPicture(svg);
}

export function putPicture(picture: Picture): Promise<void> {
  return client.configuration.put('pictures', picture.name, picture);
}

/** A course of a point, about as fine as a picture has room for. */
export async function readCourse(
  {
    kind,
    name,
    from,
    until,
  }: { readonly kind: PointKind; readonly name: string; readonly from: number; readonly until: number },
  signal: AbortSignal,
): Promise<Trace | undefined> {
  return (await readTraces({ kind, names: [name], from, until }, mostPoints, signal)).get(name);
}

const mostPoints = 300;
