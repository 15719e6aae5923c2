// Cleans an SVG as it would be stored in a picture, and tells what it loses. Nothing is stored.
import { type CleanedPicture, checker, PictureDrawing, readJson } from '@telltale/schema';
import { cleanSvg, removedNames, SvgFault } from '../pictures/index.ts';
import { invalidBody } from './read-objects.ts';

const drawing = checker(PictureDrawing);

/** Throws a problem where the body has no SVG, or one that no picture may have. */
export function cleanPicture(body: Uint8Array): CleanedPicture {
  const given = readJson(body);
  const faults = drawing.faults(given);
  if (faults.length > 0) throw invalidBody(faults);
  const { svg } = given as PictureDrawing;
  try {
    const cleaned = cleanSvg(svg);
    return { svg: cleaned, removed: removedNames(svg, cleaned) };
  } catch (error) {
    if (!(error instanceof SvgFault)) throw error;
    throw invalidBody([{ path: '/svg', message: error.message }]);
  }
}
