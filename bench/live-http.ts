// A child process: serves live points over HTTP, so many of which change before each request, and prints its address. With a
// caller, the points are in areas; with `tls`, it speaks TLS.
import { speakTls } from '../test/over-tls.ts';
import { type BenchCaller, inAreas, LivePoints, readyScaled } from './live-points.ts';
import { measurements } from './plant.ts';

const [count = '10000', changing = '0', who, tls] = process.argv.slice(2);
if (tls === 'tls') speakTls();
const points = readyScaled(measurements(Number(count)));
const plain = who === undefined ? points : inAreas(points);
const live = new LivePoints(plain);
live.change(Number(count));
const { url, onRequest } = await live.serve(who as BenchCaller | undefined);
if (changing !== '0') onRequest(() => live.change(Number(changing)));
process.stdout.write(`${url}\n`);
