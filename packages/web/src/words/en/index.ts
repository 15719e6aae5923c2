// The texts of the page in English, by section. They are the form that every other language must have.

import { access } from './access.ts';
import { alarms } from './alarms.ts';
import { archive } from './archive.ts';
import { audit } from './audit.ts';
import { common } from './common.ts';
import { config } from './config.ts';
import { connectors } from './connectors.ts';
import { forced } from './forced.ts';
import { grid } from './grid.ts';
import { modules } from './modules.ts';
import { pictures } from './pictures.ts';
import { point } from './point.ts';
import { points } from './points.ts';
import { shell } from './shell.ts';
import { sites } from './sites.ts';
import { start } from './start.ts';
import { system } from './system.ts';
import { trends } from './trends.ts';
import { values } from './values.ts';

export const en = {
  common,
  values,
  shell,
  start,
  points,
  point,
  trends,
  alarms,
  pictures,
  config,
  connectors,
  modules,
  forced,
  grid,
  audit,
  archive,
  access,
  system,
  sites,
};
