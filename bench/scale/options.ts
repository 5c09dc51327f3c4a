import { parseArgs } from 'node:util';

export interface ScaleOptions {
  /** In all workflows together. */
  readonly tasks: number;
  /** Of each kind of filter. */
  readonly requests: number;
  /** Words that the names of the wanted kinds contain; all kinds where there is none. */
  readonly kinds: readonly string[];
  /** Nothing was asked for in particular: the run whose report is kept. */
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
