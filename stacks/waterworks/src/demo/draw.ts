// What the pictures of the demonstration plant are drawn with: symbols, copied from the sheet in packages/web/src/look/symbols.svg,
// and the few elements that come again and again.

const copied: Readonly<Record<string, string>> = {
  pump: `<symbol id="pump" viewBox="0 0 80 80">
<desc>Pump: point=NAME, states such as 0:off 1:on</desc>
<path d="M22 60 10 76H70L58 60" fill="#f0f0f0" stroke="#404040" stroke-width="3" stroke-linejoin="round" class="tt-equipment"/>
<circle cx="40" cy="38" r="32" fill="#f0f0f0" stroke="#404040" stroke-width="3" class="tt-equipment"
data-tt-point="{point}" data-tt-state="{states}"/>
<path d="M29 12 70 38 29 64" fill="none" stroke="#404040" stroke-width="3" stroke-linejoin="round" class="tt-outline"/>
</symbol>`,
  valve: `<symbol id="valve" viewBox="0 0 80 80">
<desc>Valve: point=NAME, states such as 0:closed 1:open</desc>
<path d="M6 18V62L74 18V62Z" fill="#f0f0f0" stroke="#404040" stroke-width="3" stroke-linejoin="round" class="tt-equipment"
data-tt-point="{point}" data-tt-state="{states}"/>
</symbol>`,
  'control-valve': `<symbol id="control-valve" viewBox="0 0 80 80">
<desc>Control valve: point=NAME of its position, states such as 0..2:closed *:open</desc>
<path d="M40 50V24" fill="none" stroke="#404040" stroke-width="3" class="tt-outline"/>
<path d="M22 24A18 18 0 0 1 58 24Z" fill="#f0f0f0" stroke="#404040" stroke-width="3" stroke-linejoin="round" class="tt-equipment"/>
<path d="M6 30V70L74 30V70Z" fill="#f0f0f0" stroke="#404040" stroke-width="3" stroke-linejoin="round" class="tt-equipment"
data-tt-point="{point}" data-tt-state="{states}"/>
</symbol>`,
  tank: `<symbol id="tank" viewBox="0 0 160 240">
<desc>Tank: point=NAME of its level</desc>
<rect x="4" y="4" width="152" height="232" rx="14" fill="#d8d8d8" stroke="#606060" stroke-width="4" class="tt-vessel"/>
<rect x="12" y="12" width="136" height="216" rx="8" fill="#7c93a8" class="tt-fluid" data-tt-point="{point}" data-tt-level="up"/>
<path d="M148 66H140M148 120H136M148 174H140" fill="none" stroke="#606060" stroke-width="2" class="tt-line"/>
</symbol>`,
  bar: `<symbol id="bar" viewBox="0 0 60 240">
<desc>Bar over the eu-range: point=NAME</desc>
<rect x="18" y="6" width="24" height="228" fill="#f0f0f0" stroke="#909090" stroke-width="2" class="tt-track"/>
<rect x="20" y="8" width="20" height="224" fill="#7c93a8" class="tt-fluid" data-tt-point="{point}" data-tt-level="up"/>
<path d="M42 6H54M42 120H50M42 234H54" fill="none" stroke="#606060" stroke-width="2" class="tt-line"/>
</symbol>`,
  limit: `<symbol id="limit" viewBox="0 0 20 20">
<desc>Mark of a limit beside a bar: put it where the limit is</desc>
<path d="M2 3 18 10 2 17Z" fill="#404040" class="tt-limit"/>
</symbol>`,
  flow: `<symbol id="flow" viewBox="0 0 40 40">
<desc>Direction of flow</desc>
<path d="M8 8 34 20 8 32Z" fill="#606060" class="tt-arrow"/>
</symbol>`,
};

/** For the `defs` of a picture. */
export const symbols = (ids: readonly string[]): string => ids.map((id) => copied[id] ?? '').join('\n');

export const symbolIds = Object.keys(copied);

/** `parameters` as in an address, with &amp;. */
export const sized = (id: string, x: number, y: number, width: number, parameters: string, height = width): string =>
  `<use href="#${id}" x="${x}" y="${y}" width="${width}" height="${height}" data-tt-parameters="${parameters}"/>`;

export const pipe = (path: string, more = ''): string =>
  `<path d="${path}" fill="none" stroke="#606060" stroke-width="5" stroke-linejoin="round" class="tt-pipe"${more && ` ${more}`}/>`;

export const flowArrow = (x: number, y: number, degrees = 0): string =>
  `<use href="#flow" x="${x - 14}" y="${y - 14}" width="28" height="28"${degrees === 0 ? '' : ` transform="rotate(${degrees} ${x} ${y})"`}/>`;

export const title = (x: number, y: number, text: string): string =>
  `<text x="${x}" y="${y}" font-size="24" fill="#202020" class="tt-title">${text}</text>`;

export const label = (x: number, y: number, text: string): string =>
  `<text x="${x}" y="${y}" font-size="18" fill="#505050" class="tt-label">${text}</text>`;

/** Below its label, where it has one. */
export const value = (x: number, y: number, point: string, name: string, options = ''): string =>
  `<g data-tt-point="${point}">
${name === '' ? '' : `${label(x, y + 20, name)}\n`}<text x="${x}" y="${y + (name === '' ? 24 : 54)}" font-size="${name === '' ? 24 : 30}" fill="#101010" class="tt-value" data-tt-text="${`value unit ${options}`.trim()}">0.0</text>
</g>`;

/** The last hour. */
export const trend = (x: number, y: number, width: number, height: number, point: string): string =>
  `<g data-tt-point="${point}">
<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#f0f0f0" stroke="#909090" class="tt-track"/>
<rect x="${x + 4}" y="${y + 4}" width="${width - 8}" height="${height - 8}" fill="none" data-tt-trend="1h"/>
</g>`;
