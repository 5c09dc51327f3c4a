import { type TestService } from '../support/service.js';

/** Sets the clock by which things are due this far ahead, such as `14 minutes`. */
export async function moveClock({ dataSource }: TestService, ahead: string): Promise<void> {
  await dataSource.query(`
    CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz LANGUAGE sql VOLATILE
      RETURN clock_timestamp() + interval '${ahead}'`);
}
