const volatilities = { clock_timestamp: 'VOLATILE', statement_timestamp: 'STABLE', now: 'STABLE' };

/**
 * SQL: the time functions that statements find before those of PostgreSQL, ahead of them by so many milliseconds.
 * PostgreSQL puts the sum in the place of each call, so that they cost no statement anything.
 */
export function timeFunctions(aheadMs) {
  const ahead = aheadMs === 0 ? '' : ` + interval '${Math.round(aheadMs)} milliseconds'`;
  return Object.entries(volatilities)
    .map(
      ([name, volatility]) => `
        CREATE OR REPLACE FUNCTION moved_time.${name}() RETURNS timestamptz LANGUAGE sql ${volatility}
        RETURN pg_catalog.${name}()${ahead};`,
    )
    .join('');
}
