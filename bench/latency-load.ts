// A child process: asks for one address at an even rate, not waiting for answers, and prints the milliseconds within
// which half and 99 of 100 of them came.
import http from 'node:http';

const [url = '', seconds = '5', rate = '200'] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true });
const elapsedMs: number[] = [];
const asked: Promise<void>[] = [];
const start = performance.now();
const everyMs = 1000 / Number(rate);
const total = Number(seconds) * Number(rate);

function ask(): Promise<void> {
  const sent = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.resume();
      response.once('end', () => {
        elapsedMs.push(performance.now() - sent);
        resolve();
      });
    });
    request.once('error', reject);
  });
}

while (asked.length < total) {
  while (asked.length < total && performance.now() >= start + asked.length * everyMs) asked.push(ask());
  await new Promise((resolve) => setTimeout(resolve, 1));
}
await Promise.all(asked);
agent.destroy();
// The first second warms up, and makes the connections.
const counted = elapsedMs.slice(Number(rate)).sort((a, b) => a - b);
const at = (share: number) => counted[Math.floor(share * (counted.length - 1))] ?? 0;
process.stdout.write(`${at(0.5)} ${at(0.99)}\n`);
