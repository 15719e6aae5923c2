// Run as a child: upgrades a data folder, as the server does at its start. Its argument is the folder.
import { upgradeFolder } from '../../packages/server/src/upgrade/index.ts';

const silent = { info: () => undefined, warn: () => undefined };
upgradeFolder(process.argv[2] ?? '', silent);
