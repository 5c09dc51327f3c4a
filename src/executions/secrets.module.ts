import { Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config.js';
import { Secrets } from './secrets.js';

/** The secrets of workspaces, for calls to other systems. */
@Module({
  providers: [
    { provide: Secrets, inject: [CONFIG], useFactory: ({ secrets }: Config) => new Secrets(secrets) },
  ],
  exports: [Secrets],
})
export class SecretsModule {}
