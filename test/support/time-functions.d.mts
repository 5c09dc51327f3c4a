export function timeFunctions(aheadMs: number): string;
