// The plant of the tests of pictures: two pumps alike at a simulated device, whose values are what is written, and pictures of them.
import { TelltaleClient } from '@telltale/client';
import type { Operation } from '@telltale/schema';
import { put } from '../live-plant.ts';

const pumps = ['pump1', 'pump2'] as const;

const onDevice = (tag: string) => ({ connectorName: 'device', address: `echo(${tag})` });
const speed = { datatype: 'd', euRangeLo: '0', euRangeHi: '200', properties: { precision: '1' } };

export const picturePlant: readonly Operation[] = [
  put('connectors', 'device', { stackName: 'simulator', vars: { scanPeriodMs: '20' } }),
  ...pumps.flatMap((pump) => [
    put('measurements', `${pump}_speed`, {
      ...speed,
      eu: 'rpm',
      description: `Speed of ${pump}`,
      archMode: 'change',
      ...onDevice(`${pump}_speed`),
    }),
    put('commands', `${pump}_set_speed`, { ...speed, ...onDevice(`${pump}_speed`) }),
    put('measurements', `${pump}_state`, { datatype: 'q', archMode: 'change', ...onDevice(`${pump}_state`) }),
    put('commands', `${pump}_set_state`, { datatype: 'q', ...onDevice(`${pump}_state`) }),
    put('alarms', `${pump}_fast`, {
      severity: 1,
      archMode: 'change',
      trgMeasurement: `${pump}_speed`,
      trgOperator: 'gt',
      trgRefValue: '190',
      description: `Too fast: ${pump}`,
    }),
  ]),
  put('measurements', '__proto__', { datatype: 'd', ...onDevice('odd') }),
];

const svg = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 400" font-family="sans-serif">${content}</svg>`;

/** One of each binding, for the pump of the parameter. */
export const onePump = svg(`
<text id="title" x="20" y="30">Pump {unit} {other}</text>
<g id="all" data-tt-point="{unit}_speed">
<text id="text" x="20" y="80" font-size="24" class="tt-value" data-tt-text="value unit">0</text>
<text id="precise" x="20" y="110" font-size="24"><tspan x="20" y="110" data-tt-text="description value precision=3">0</tspan></text>
<rect id="level" x="300" y="50" width="50" height="200" fill="#777777" data-tt-level="up"/>
<rect id="half" x="400" y="50" width="200" height="20" fill="#777777" data-tt-level="right lo=100 hi=200"/>
<path id="pointer" d="M650 150h60v6h-60z" transform="translate(5 5)" data-tt-rotation="from=-90 to=90 cx=650 cy=153"/>
</g>
<rect id="state" x="20" y="150" width="60" height="60" class="tt-equipment" data-tt-point="{unit}_state"
  data-tt-state="0:off 1:on 2:fault"/>
<text id="words" x="20" y="250" font-size="24" data-tt-point="{unit}_state" data-tt-words="0:stopped; 1:runs well">–</text>
<g id="shown" data-tt-point="{unit}_state" data-tt-visible="&gt;=1"><text x="20" y="290" font-size="24">Attention</text></g>
<g id="next" data-tt-opens="picture:two?start={unit}"><title>To both</title><rect x="300" y="300" width="100" height="40"/><text x="310" y="320">Overview</text></g>
<g id="trend" data-tt-opens="trend:speeds"><title>Speeds</title><rect x="420" y="300" width="100" height="40"/></g>
<rect id="command" x="540" y="300" width="100" height="40" data-tt-point="command:{unit}_set_speed"/>
`);

/** The same symbol for both pumps. */
export const twoPumps = svg(`
<defs>
<symbol id="pump" viewBox="0 0 100 100"><title>Draws a pump</title>
<circle cx="50" cy="50" r="45" class="tt-equipment" fill="url(#shade)" data-tt-point="{unit}_state" data-tt-state="0:off 1:on"/>
<text x="50" y="55" font-size="20" text-anchor="middle" data-tt-point="{unit}_speed" data-tt-text="value">0</text>
<text x="50" y="80" font-size="12" class="tt-label">{unit}</text></symbol>
<linearGradient id="shade"><stop offset="0" stop-color="#eeeeee"/></linearGradient>
</defs>
<use id="first" href="#pump" x="50" y="100" width="200" height="200" data-tt-parameters="unit=pump1" data-tt-opens="picture:one?unit={unit}"/>
<use id="second" href="#pump" x="400" y="100" width="200" height="200" data-tt-parameters="unit=pump2"/>
`);

/** Tries to hide what is bound, and its marks. */
export const hiding = svg(`
<rect id="displayed" x="50" y="50" width="60" height="60" display="none" data-tt-point="pump1_speed" data-tt-level="up"/>
<g display="none" visibility="hidden"><text id="within" x="200" y="90" data-tt-point="pump1_speed" data-tt-text="value">0</text></g>
<rect id="faint" x="350" y="50" width="60" height="60" opacity="0" fill-opacity="0" data-tt-point="pump1_speed" data-tt-level="up"/>
<text id="tiny" x="500" y="90" font-size="0.01" class="tt-hidden" data-tt-point="pump1_speed" data-tt-text="value">0</text>
<g data-tt-point="pump1_state" data-tt-visible="5"><rect id="invisible" x="600" y="50" width="60" height="60"/></g>
<rect id="cover" x="-9999" y="-9999" width="99999" height="99999" fill="#ffffff"/>
`);

export interface Pump {
  readonly speed: number;
  readonly state: number;
}

export class PicturePlant {
  readonly client: TelltaleClient;

  static async open(url: string, more: readonly Operation[] = []): Promise<PicturePlant> {
    const client = new TelltaleClient({ url });
    await client.configuration.transaction([...picturePlant, ...more], { render: true });
    return new PicturePlant(client);
  }

  private constructor(client: TelltaleClient) {
    this.client = client;
  }

  /** As the device says it. */
  async run(pump: (typeof pumps)[number], { speed, state }: Pump): Promise<void> {
    await this.client.commands.write(`${pump}_set_speed`, `d${speed}`);
    await this.client.commands.write(`${pump}_set_state`, `q${state}`);
  }
}

export const picture = (name: string, drawing: string, fields: Record<string, unknown> = {}): Operation =>
  put('pictures', name, { svg: drawing, ...fields });
