// Brings a data folder of an earlier version into the format of this one, in ordered steps.
export { copiesFolder, copyBefore } from './before-upgrade.ts';
export { accessFile, configurationFile, stateFile } from './database-files.ts';
export { readFormat } from './format-file.ts';
export { currentFormat } from './steps/index.ts';
export { stateFormat, upgradeFolder } from './upgrade-folder.ts';
