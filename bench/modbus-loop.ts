// A child process: reads all registers of a device over and over with the bare client of the stack, and does nothing with
// them. Prints registers a second, and the seconds of processor time that each second took.
import { allRequests, connectClient, registersAnArea } from './modbus-requests.ts';

const [port = '0', seconds = '5'] = process.argv.slice(2);
const client = await connectClient(Number(port));
const { signal } = new AbortController();
const requests = allRequests();
const round = async () => {
  for (const request of requests) await client.request(1, request, signal);
};
await round(); // warms up
await round();
const [start, used] = [performance.now(), process.cpuUsage()];
let rounds = 0;
while (performance.now() - start < Number(seconds) * 1000) {
  await round();
  rounds++;
}
const elapsed = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(used);
await client.close();
process.stdout.write(`${(rounds * 2 * registersAnArea) / elapsed} ${(user + system) / 1e6 / elapsed}\n`);
