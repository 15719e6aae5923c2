// Every step, in order: the first brings a folder of format 1 to format 2.
import type { Step } from '../step.ts';
import { area } from './2-area.ts';
import { renames } from './3-renames.ts';
import { comments } from './4-comments.ts';
import { disabledLinks } from './5-disabled-links.ts';
import { typicals } from './6-typicals.ts';
import { deviceAlarms } from './7-device-alarms.ts';
import { access } from './8-access.ts';
import { sealing } from './9-sealing.ts';
import { pictures } from './10-pictures.ts';
import { grantsOfSites } from './11-grants-of-sites.ts';

export const steps: readonly Step[] = [
  area,
  renames,
  comments,
  disabledLinks,
  typicals,
  deviceAlarms,
  access,
  sealing,
  pictures,
  grantsOfSites,
];

/** Of folders that this version of the server writes. */
export const currentFormat = steps.length + 1;
