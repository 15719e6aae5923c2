// Live measurements and commands: their values, the chains that they pass, simulation, and what is read of them.
export type { Changes, MeasurementReader } from './measurement-reader.ts';
