import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

test('answers are counted by route and status, and by how long they took', async () => {
  const metrics = new Metrics();
  const count = metrics.answers.counterOf('GET', '/data/measurements/:name');
  for (const [status, elapsedMs] of [
    [200, 0.4],
    [200, 1],
    [404, 30],
    [200, 60_000],
  ] as const) {
    count(status, elapsedMs);
  }
  metrics.answers.counterOf('GET', '/data/measurements/:name')(200, 2);
  const text = await metrics.registry.metrics();
  const value = (series: string) => {
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };
  const route = 'method="GET",route="/data/measurements/:name"';
  assert.equal(value(`telltale_http_requests_total{${route},status="200"}`), 4);
  assert.equal(value(`telltale_http_requests_total{${route},status="404"}`), 1);
  const buckets = ['0.001', '0.005', '0.025', '0.1', '0.5', '2.5', '10', '+Inf'].map((le) =>
    value(`telltale_http_request_seconds_bucket{${route},le="${le}"}`),
  );
  assert.deepEqual(buckets, [2, 3, 3, 4, 4, 4, 4, 5]);
  assert.equal(value(`telltale_http_request_seconds_count{${route}}`), 5);
  assert.equal(value(`telltale_http_request_seconds_sum{${route}}`), 60.0334);
  assert.match(text, /^# TYPE telltale_http_request_seconds histogram$/m);
  assert.match(text, /^# TYPE telltale_http_requests_total counter$/m);
});
