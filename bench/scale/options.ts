import { parseArgs } from 'node:util';

export interface ScaleOptions {
  /** In all workflows together. */
  readonly tasks: number;
  /** Per kind of filter. */
  readonly requests: number;
  /** Parts of the names of the wanted kinds; all kinds if there is none. */
  readonly kinds: readonly string[];
  /** A run without special options, whose report is kept. */
  readonly isStandard: boolean;
}

export function readScaleOptions(): ScaleOptions {
  const { values } = parseArgs({
    options: {
      tasks: { type: 'string', default: '1000000' },
      requests: { type: 'string', default: '100' },
      kind: { type: 'string', multiple: true, default: [] },
    },
  });
  const isStandard = process.argv.length === 2;
  return { tasks: Number(values.tasks), requests: Number(values.requests), kinds: values.kind, isStandard };
}
