/** What expressions take a value for. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'list';
