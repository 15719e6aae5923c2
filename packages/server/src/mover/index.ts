// `telltale archive move`: the archive of a stopped server to a store, and back.
export { type MoveArchive, moveArchive } from './move-archive.ts';
