// A child process: serves live points over HTTP, so many of which change before each request, and prints its address.
import { LivePoints, readyScaled } from './live-points.ts';
import { measurements } from './plant.ts';

const [count = '10000', changing = '0'] = process.argv.slice(2);
const plain = readyScaled(measurements(Number(count)));
const live = new LivePoints(plain);
live.change(Number(count));
const { url, onRequest } = await live.serve();
if (changing !== '0') onRequest(() => live.change(Number(changing)));
process.stdout.write(`${url}\n`);
