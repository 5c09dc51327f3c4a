import { type VNode } from 'preact';

// All charts are 560 units wide and use the class `chart` of figures.css. Each series has a colour and a
// pattern.

const WIDTH = 560;
const HEIGHT = 220;
const plot = { left: 48, right: WIDTH - 8, top: 12, bottom: HEIGHT - 28 } as const;
const plotWidth = plot.right - plot.left;

/** At most this many series have a colour and a pattern of their own. */
const MAX_SERIES = 8;

/** Returns how many series a chart may show: the more places its axis has, such as days, the fewer series. */
export const mostSeries = (places: readonly string[]): number =>
  Math.max(3, Math.min(MAX_SERIES, Math.floor(MAX_MARKS / Math.max(1, places.length))));

const MAX_MARKS = 200;

/** A named series of numbers; null for a missing number. */
export interface ChartSeries {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** Replaces the colour and pattern that the series gets by its position. */
  readonly tone?: 'bad' | 'others' | undefined;
}

export interface ChartProps {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /**
   * `bars` are stacked, and `pairs` stand side by side. `dots` are single marks. `rows` are horizontal
   * stacked bars, one for each label.
   */
  readonly kind: 'bars' | 'pairs' | 'dots' | 'rows';
  readonly labels: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly write: (value: number) => string;
}

/** Draws a chart and its legend. Each series is one path, which keeps the page small. */
export function Chart(props: ChartProps): VNode {
  const { id, title, description, kind, labels, series } = props;
  const isStacked = kind === 'bars' || kind === 'rows';
  const heights = isStacked ? labels.map((_, at) => sumAt(series, at)) : series.flatMap((one) => one.values);
  const scaled = { ...props, most: Math.max(1, ...heights.map(Number)) };
  const height = kind === 'rows' ? labels.length * ROW : HEIGHT;
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-labelledby={`${id}-t ${id}-d`}>
        <title id={`${id}-t`}>{title}</title>
        <desc id={`${id}-d`}>{description}</desc>
        {kind === 'rows' ? <Rows {...props} /> : <Axis {...scaled} />}
        {series.map(({ values, tone }, nth) => (
          <path
            fill={fillOf(tone, nth)}
            d={values.map((value, at) => (value === null ? '' : markAt(scaled, nth, at, value))).join('')}
          />
        ))}
      </svg>
      {series.length > 1 && (
        <ul class="legend line" aria-hidden="true">
          {series.map(({ name, tone }, nth) => (
            <li>
              <svg viewBox="0 0 14 14">
                <path fill={fillOf(tone, nth)} d={kind === 'dots' ? shapeAt(nth, 7, 7) : 'M0 0h14v14h-14z'} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface ScaledChart extends ChartProps {
  /** The number at the end of the scale. */
  readonly most: number;
}

/** Returns the path that draws `value`, the number of the series `nth` at the label `at`. */
function markAt({ kind, labels, series, most }: ScaledChart, nth: number, at: number, value: number): string {
  const width = plotWidth / labels.length;
  const x = plot.left + at * width;
  if (kind === 'dots') return shapeAt(nth, x + width / 2, heightOf(value, most));
  if (value === 0) return '';
  if (kind === 'pairs') {
    const bar = (width * 0.8) / series.length;
    return barAt(x + 0.1 * width + nth * bar, heightOf(value, most), bar * 0.9, plot.bottom);
  }
  const before = sumAt(series.slice(0, nth), at);
  if (kind === 'bars')
    return barAt(x + 0.12 * width, heightOf(before + value, most), width * 0.76, heightOf(before, most));
  const scale = (WIDTH - 4) / most;
  return barAt(2 + before * scale, at * ROW + 26, value * scale, at * ROW + 42);
}

const heightOf = (value: number, most: number): number =>
  plot.bottom - (value / most) * (plot.bottom - plot.top);

/** Returns the path of a bar. Its upper left corner is at (x, y), and it ends at `bottom`. */
const barAt = (x: number, y: number, width: number, bottom: number): string =>
  `M${short(x)} ${short(y)}h${short(width)}V${short(bottom)}h${short(-width)}z`;

/** Returns the path of a circle, a square, a triangle or a rhombus, by the number of the series. */
const shapeAt = (nth: number, x: number, y: number): string =>
  `M${short(x)} ${short(y)}${shapes[nth % shapes.length] ?? ''}`;

const shapes = ['m-5 0a5 5 0 1 1 0 .1z', 'm-4.5-4.5h9v9h-9z', 'm0-5.5l5.5 10h-11z', 'm0-6l6 6l-6 6l-6-6z'];

/** Draws each label and its total on one line, and below them the background of a bar. */
const Rows = ({ labels, series, write }: ChartProps): VNode => (
  <>
    {labels.map((label, at) => (
      <g>
        <text x="2" y={at * ROW + 18}>
          {label.length > 28 ? `${label.slice(0, 27)}…` : label}
        </text>
        <text x={WIDTH - 2} y={at * ROW + 18} text-anchor="end">
          {write(sumAt(series, at))}
        </text>
        <rect fill="var(--sunken)" x="2" y={at * ROW + 26} width={WIDTH - 4} height="16" />
      </g>
    ))}
  </>
);

const ROW = 52;

/** Draws horizontal lines at round numbers, and at most four of the labels. */
function Axis({ labels, write, most }: ScaledChart): VNode {
  const power = 10 ** Math.floor(Math.log10(most / 3));
  const step = Math.max(1, [1, 2, 5, 10].map((each) => each * power).find((each) => each * 4 > most) ?? most);
  const lines = Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
  const places = [...new Set([0, 1, 2, 3].map((nth) => Math.round((nth * (labels.length - 1)) / 3)))];
  const width = plotWidth / labels.length;
  return (
    <g>
      {lines.map((value) => (
        <>
          <path class="axis" d={`M${plot.left} ${short(heightOf(value, most))}H${plot.right}`} />
          <text x={plot.left - 6} y={short(heightOf(value, most) + 4)} text-anchor="end">
            {write(value)}
          </text>
        </>
      ))}
      {places.map((at) => (
        <text
          x={short(plot.left + (at + 0.5) * width)}
          y={HEIGHT - 6}
          text-anchor={at === 0 ? undefined : at === labels.length - 1 ? 'end' : 'middle'}
        >
          {labels[at]}
        </text>
      ))}
    </g>
  );
}

const sumAt = (series: readonly ChartSeries[], at: number): number =>
  series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0);

const fillOf = (tone: ChartSeries['tone'], nth: number): string =>
  `url(#pattern-${tone ?? nth % MAX_SERIES})`;

const short = (value: number): number => Math.round(value * 10) / 10;

/** Maps the position or the tone of a series to its colour and its pattern. */
const tones: Readonly<Record<string, readonly [fill: string, hatch: string]>> = {
  0: ['light-dark(#5753c6, #8f8aef)', ''],
  1: ['light-dark(#0f8a8a, #4cc3c3)', 'M0 8L8 0'],
  2: ['light-dark(#a8690b, #e0a84a)', 'M0 4H8'],
  3: ['light-dark(#9c3f9c, #d78bd7)', 'M4 0V8'],
  4: ['light-dark(#3d7a2f, #8cc97d)', 'M0 0L8 8'],
  5: ['light-dark(#2a6fb8, #78b4ec)', 'M0 4H8M4 0V8'],
  6: ['light-dark(#6b6f76, #a7acb4)', 'M2 2h1v1h-1zM6 6h1v1h-1z'],
  7: ['light-dark(#8a5a44, #cf9f86)', 'M0 8L8 0M0 0L8 8'],
  bad: ['var(--bad)', 'M-2 2L2-2M0 8L8 0M6 10L10 6'],
  others: ['var(--muted)', ''],
};

export const Patterns = (): VNode => (
  <svg class="visually-hidden" aria-hidden="true">
    {Object.entries(tones).map(([name, [fill, hatch]]) => (
      <pattern id={`pattern-${name}`} width="8" height="8" patternUnits="userSpaceOnUse">
        <rect width="8" height="8" fill={fill} />
        <path d={hatch} fill="none" stroke="var(--surface)" stroke-width="1.25" />
      </pattern>
    ))}
  </svg>
);
