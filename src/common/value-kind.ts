/** How expressions treat a value. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'list';
