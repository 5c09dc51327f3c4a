import { type DataSource } from 'typeorm';
import type pg from 'pg';

/** TypeORM's pool. */
export function poolOf({ driver }: DataSource): pg.Pool {
  return (driver as unknown as { readonly master: pg.Pool }).master;
}

/** The address of the database. */
export function databaseUrl({ options }: DataSource): string {
  return options.type === 'postgres' ? (options.url ?? '') : '';
}

/** Whether PostgreSQL rejected the statement; its connection can still be used. */
export function isOfStatement(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'severity') === 'ERROR';
}
