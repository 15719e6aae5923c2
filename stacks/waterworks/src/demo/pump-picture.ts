// One pump of the demonstration plant: the same picture for each of them, by its parameter.
import { label, sized, symbols, title, trend } from './draw.ts';

/** A bar with its value, and what it is of. */
const bar = (x: number, point: string, name: string, options = '') => `
<g data-tt-point="{unit}_${point}">
<title>${name}</title>
${sized('bar', x, 190, 60, `point={unit}_${point}`, 240)}
<text x="${x + 30}" y="166" font-size="18" fill="#505050" class="tt-label" text-anchor="middle">${name}</text>
<text x="${x + 30}" y="466" font-size="28" fill="#101010" class="tt-value" text-anchor="middle"
  data-tt-text="${`value unit ${options}`.trim()}">0</text>
</g>`;

const row = (y: number, name: string, point: string, shown: string) => `
<g data-tt-point="{unit}_${point}">
${label(60, y, name)}
<text x="200" y="${y}" font-size="22" fill="#101010" class="tt-value" ${shown}>–</text>
</g>`;

/** Of the alarm at 75 °C, on the bar of 0 to 120 °C. */
const bearingLimitY = Math.round(190 + 232 - (224 * 75) / 120);

export const pumpPicture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 620" font-family="sans-serif">
<title>Pump ({unit})</title>
<defs>
${symbols(['pump', 'bar', 'limit'])}
</defs>
<text x="60" y="66" font-size="36" fill="#202020" class="tt-title">Pump ({unit})</text>
<text x="940" y="64" font-size="20" fill="#505050" class="tt-label" text-anchor="end" data-tt-opens="picture:waterworks">Overview</text>
<path d="M60 94H940" fill="none" stroke="#909090" stroke-width="1" class="tt-line"/>
${sized('pump', 90, 130, 180, 'point={unit}_running&amp;states=0:off 1:on')}
<text x="180" y="356" font-size="30" fill="#101010" class="tt-value" text-anchor="middle" data-tt-point="{unit}_state"
  data-tt-text="value">stopped</text>
<g data-tt-point="{unit}_tripped" data-tt-visible="1">
<rect x="110" y="372" width="140" height="36" rx="3" fill="#f0f0f0" stroke="#404040" stroke-width="2" class="tt-equipment"
  data-tt-state="1:fault"/>
<text x="180" y="397" font-size="22" fill="#101010" class="tt-value" text-anchor="middle">TRIPPED</text>
</g>
${row(446, 'Control', 'auto', 'data-tt-words="0:manual 1:automatic"')}
${row(482, 'Start', 'start', 'data-tt-words="0:stop 1:run"')}
${row(518, 'Setpoint', 'speed_setpoint', 'data-tt-text="value unit precision=0"')}
${row(554, 'Hours', 'hours', 'data-tt-text="value unit precision=0"')}
${row(590, 'Reset', 'reset', 'data-tt-words="0:press 1:pressed"')}
${bar(400, 'speed', 'Speed', 'precision=0')}
${bar(580, 'current', 'Current', 'precision=1')}
${bar(760, 'bearing_temperature', 'Bearing', 'precision=1')}
<use href="#limit" x="756" y="${bearingLimitY - 10}" width="20" height="20"/>
${title(400, 520, 'Speed, last hour')}
${trend(400, 536, 540, 64, '{unit}_speed')}
</svg>
`;
