/** Tests about a single PostgreSQL, such as its catalogue or its plans, are skipped on Citus. */
const isSpread = process.env['WTS_TEST_CITUS_URL'] !== undefined;

export const describeOnOnePostgres = isSpread ? describe.skip : describe;
export const itOnOnePostgres = isSpread ? it.skip : it;
