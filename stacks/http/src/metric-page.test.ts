import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Datatype, quality } from '@telltale/schema';
import fc from 'fast-check';
import { parseOpenMetrics, parseTextFormat } from '../test/parse-exposition.ts';
import { escapeLabel, type Family, metricLines, type PageOptions, type Sample } from './metric-page.ts';

const { good, bad, uncertain } = quality;
const options: PageOptions = { badQuality: 'absent', qualityMetric: 'telltale_point_quality', timestamps: false };

const sample = (pointName: string, value: Sample['value'], given: Partial<Sample> = {}): Sample => ({
  pointName,
  value,
  isCommand: false,
  labels: '',
  datatype: 'd',
  quality: good,
  timeUs: 1_700_000_000_123_456,
  ...given,
});

function family(sampleName: string, samples: Sample[], type: Family['type'] = 'gauge', help = ''): Family {
  return { sampleName, type, help, samples };
}

const plant = [
  family(
    'level_metres',
    [sample('a', 1.5, { labels: 'tank="1"' }), sample('b', 2, { labels: 'tank="2"' })],
    'gauge',
    'The "level"\nof \\ a tank',
  ),
  family('starts_total', [sample('c', 9007199254740993n, { datatype: 'l' })], 'counter'),
  family('state_info', [sample('d', 'run"n\ning\\', { datatype: 's' })], 'info'),
];

function metricPage(...page: Parameters<typeof metricLines>): string {
  return Array.from(metricLines(...page), (line) => `${line}\n`).join('');
}

describe('a page', () => {
  test('of the text format is what the format wants', () => {
    assert.equal(
      metricPage(plant, 'text', options),
      [
        '# HELP level_metres The "level"\\nof \\\\ a tank',
        '# TYPE level_metres gauge',
        'level_metres{tank="1"} 1.5',
        'level_metres{tank="2"} 2',
        '# TYPE starts_total counter',
        'starts_total 9007199254740993',
        '# TYPE state_info gauge',
        'state_info{value="run\\"n\\ning\\\\"} 1',
        '# HELP telltale_point_quality Quality of a point: 192 good, 64 uncertain, 0 bad',
        '# TYPE telltale_point_quality gauge',
        'telltale_point_quality{point="a"} 192',
        'telltale_point_quality{point="b"} 192',
        'telltale_point_quality{point="c"} 192',
        'telltale_point_quality{point="d"} 192',
        '',
      ].join('\n'),
    );
  });

  test('of OpenMetrics names counters and infos by their families, and has its end', () => {
    const page = metricPage(plant, 'openmetrics', { ...options, qualityMetric: '', timestamps: true });
    assert.equal(
      page,
      [
        '# HELP level_metres The \\"level\\"\\nof \\\\ a tank',
        '# TYPE level_metres gauge',
        'level_metres{tank="1"} 1.5 1700000000.123456',
        'level_metres{tank="2"} 2 1700000000.123456',
        '# TYPE starts counter',
        'starts_total 9007199254740993 1700000000.123456',
        '# TYPE state info',
        'state_info{value="run\\"n\\ning\\\\"} 1 1700000000.123456',
        '# EOF',
        '',
      ].join('\n'),
    );
  });

  test('that has nothing to show is empty, or only its end', () => {
    assert.equal(metricPage([], 'text', options), '');
    assert.equal(metricPage([], 'openmetrics', options), '# EOF\n');
  });

  test('leaves out what is bad, or has NaN in its place, and reports every quality', () => {
    const families = [
      family('x', [
        sample('good', 1, { labels: 'n="1"' }),
        sample('bad', 2, { labels: 'n="2"', quality: bad.sensorFailure }),
      ]),
      family('y', [sample('uncertain', 3, { quality: uncertain.nonSpecific })]),
      family('z', [sample('new', undefined, { quality: bad.notConnected, timeUs: 0 })]),
      family('t_info', [sample('text', 'old', { datatype: 's', quality: bad.communicationFailure })], 'info'),
    ];
    const values = (badQuality: PageOptions['badQuality']) => {
      const parsed = parseTextFormat(metricPage(families, 'text', { ...options, badQuality, timestamps: true }));
      return ['x', 'y', 'z', 't_info'].map((name) => parsed.get(name)?.samples.map(({ value }) => value));
    };
    assert.deepEqual(values('absent'), [[1], [3], undefined, undefined]);
    assert.deepEqual(values('nan'), [[1, Number.NaN], [3], [Number.NaN], undefined]);
    const parsed = parseTextFormat(metricPage(families, 'text', options));
    assert.deepEqual(
      parsed.get('telltale_point_quality')?.samples.map(({ labels, value }) => [labels.point, value]),
      [
        ['good', 192],
        ['bad', 0x10],
        ['uncertain', 0x40],
        ['new', 0x08],
        ['text', 0x18],
      ],
    );
  });

  test('reports the quality of a measurement once, though a command has its name', () => {
    const level = sample('level', 1, { quality: bad.sensorFailure });
    const setpoint = sample('level', 2, { isCommand: true });
    const parsed = parseTextFormat(metricPage([family('x', [level]), family('y', [setpoint])], 'text', options));
    assert.deepEqual(
      parsed.get('telltale_point_quality')?.samples.map(({ value }) => value),
      [bad.sensorFailure],
    );
    assert.equal(parsed.get('y')?.samples[0]?.value, 2);
  });

  test('has a bad quality below a good one, though it is simulated', () => {
    const page = metricPage([family('x', [sample('a', 1, { quality: 0x8000 | bad.sensorFailure })])], 'text', options);
    assert.equal(parseTextFormat(page).get('telltale_point_quality')?.samples[0]?.value, bad.sensorFailure);
  });

  test('has room for more samples of one name than a call has for arguments', () => {
    const many = Array.from({ length: 200_000 }, (_, at) => sample(`p${at}`, at, { labels: `at="${at}"` }));
    const lines = metricPage([family('x', many)], 'text', options).split('\n');
    assert.equal(lines.filter((line) => line.startsWith('telltale_point_quality{')).length, many.length);
  });

  test('has milliseconds in the text format, and no time before the first value', () => {
    const families = [family('x', [sample('a', 1)]), family('y', [sample('b', undefined, { timeUs: 0 })])];
    const page = metricPage(families, 'text', { badQuality: 'nan', qualityMetric: '', timestamps: true });
    const parsed = parseTextFormat(page);
    assert.equal(parsed.get('x')?.samples[0]?.timestamp, 1_700_000_000_123);
    assert.equal(parsed.get('y')?.samples[0]?.timestamp, undefined);
  });

  test('shows a long text only in part, and says so', () => {
    const page = metricPage(
      [family('t_info', [sample('a', '😀'.repeat(40_000), { datatype: 's' })], 'info')],
      'text',
      options,
    );
    const text = parseTextFormat(page).get('t_info')?.samples[0]?.labels.value ?? '';
    assert.ok(text.endsWith('😀…') && text.length < 1030 && text.isWellFormed());
  });

  test('reads back as what was put into it, in both formats, whatever that is', () => {
    const anyText = fc.string({ unit: 'grapheme', maxLength: 20 });
    const anySample = fc.record({
      value: fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      ),
      label: anyText,
      quality: fc.constantFrom(good, uncertain.nonSpecific, bad.sensorFailure),
    });
    const anyPlant = fc.record({ samples: fc.array(anySample, { maxLength: 10 }), help: anyText, text: anyText });
    fc.assert(
      fc.property(anyPlant, fc.boolean(), ({ samples, help, text }, timestamps) => {
        const made = samples.map(({ value, label, quality: q }, at) => {
          const datatype: Datatype = typeof value === 'bigint' ? 'l' : 'd';
          const labels = `at="${at}",label="${escapeLabel(label)}"`;
          return sample(`p${at}`, value, { labels, datatype, quality: q });
        });
        const families = [
          family('x', made, 'gauge', help),
          family('t_info', [sample('text', text, { datatype: 's' })], 'info', help),
        ];
        for (const format of ['text', 'openmetrics'] as const) {
          const page = metricPage(families, format, { ...options, timestamps });
          const parsed = format === 'text' ? parseTextFormat(page) : parseOpenMetrics(page);
          const shown = samples.filter(({ quality: q }) => q !== bad.sensorFailure);
          const found = parsed.get('x')?.samples ?? [];
          assert.deepEqual(
            found.map(({ labels }) => labels.label),
            shown.map(({ label }) => label),
          );
          assert.deepEqual(
            found.map(({ value }) => value),
            shown.map(({ value }) => (value === 0 ? 0 : Number(value))),
          );
          if (shown.length > 0 && help !== '') assert.equal(parsed.get('x')?.help, help);
          assert.equal(parsed.get(format === 'text' ? 't_info' : 't')?.samples[0]?.labels.value, text);
          assert.equal(parsed.get('telltale_point_quality')?.samples.length, samples.length + 1);
        }
      }),
    );
  });
});
