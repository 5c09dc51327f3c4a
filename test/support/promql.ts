/** The metrics and labels in an expression of Prometheus. */
export interface Asked {
  readonly metrics: readonly string[];
  /** `metric{label="value"}` as written; a label without a value is matched in another way. */
  readonly labels: readonly {
    readonly metric: string;
    readonly label: string;
    readonly value: string | undefined;
  }[];
  /** The labels by which series are grouped or matched. */
  readonly groupedBy: readonly string[];
}

/** Reads metrics and labels from an expression; `promtool` checks its syntax. */
export function askedBy(expression: string): Asked {
  const groupedBy: string[] = [];
  const labels: Asked['labels'][number][] = [];
  const text = expression
    .replace(/\b(?:by|on|group_left|without|ignoring)\s*\(([^)]*)\)/g, (_, names: string) => {
      groupedBy.push(...names.split(/[\s,]+/).filter((name) => name !== ''));
      return ' ';
    })
    .replace(/([a-z_]\w*)\{([^}]*)\}/g, (_, metric: string, matchers: string) => {
      for (const [, label = '', operator, value] of matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g))
        labels.push({ metric, label, value: operator === '=' ? value : undefined });
      return metric;
    })
    .replace(/\[[^\]]*\]|\boffset\s+\w+/g, ' ');
  const words = [...text.matchAll(/(?<![\w.])([a-z_]\w*)\b(?!\s*\()/g)].map(([word]) => word);
  const metrics = [...new Set(words.filter((word) => !['and', 'or', 'unless', 'by', 'bool'].includes(word)))];
  return { metrics, labels, groupedBy };
}
