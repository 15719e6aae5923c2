// A child process: imports records as CSV for some seconds, at most so many a second, and prints how many a second it were.
import http from 'node:http';

const [url = '', seconds = '5', rate = '500000'] = process.argv.slice(2);
const rows = 100_000;
const startS = 1_600_000_000;
const lines = Array.from({ length: rows }, (_, at) => `${startS + at},${(at % 1000) / 4},192\n`);
const body = Buffer.from(`time,value,quality\n${lines.join('')}`);
const agent = new http.Agent({ keepAlive: true });

function post(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'text/csv', 'content-length': body.length };
    const request = http.request(path, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 204) reject(new Error(`${path} answered ${response.statusCode}`));
      response.resume();
      response.once('end', resolve);
    });
    request.once('error', reject);
    request.end(body);
  });
}

const start = performance.now();
let imported = 0;
while (performance.now() - start < 1000 * Number(seconds)) {
  await post(`${url}/m${(imported / rows) % 5000}`);
  imported += rows;
  const aheadMs = (1000 * imported) / Number(rate) - (performance.now() - start);
  if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
}
agent.destroy();
process.stdout.write(`${Math.round((1000 * imported) / (performance.now() - start))}\n`);
