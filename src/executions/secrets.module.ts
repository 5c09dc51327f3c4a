import { Module } from '@nestjs/common';
import { getRepositoryToken } from '@nestjs/typeorm';
import { CONFIG } from '../config.js';
import { WorkspaceEntity } from '../entities/workspace.entity.js';
import { LOGGER } from '../lib/logger.js';
import { openSecrets, Secrets } from './secrets.js';

/** The secrets of workspaces, for calls to other systems. */
@Module({
  providers: [
    {
      provide: Secrets,
      inject: [getRepositoryToken(WorkspaceEntity), CONFIG, LOGGER],
      useFactory: openSecrets,
    },
  ],
  exports: [Secrets],
})
export class SecretsModule {}
