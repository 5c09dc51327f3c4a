import { Inject, Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../config.js';
import { type Logger, LOGGER } from '../logger.js';

/** The parts of the service that background work may use. */
@Injectable()
export class JobParts {
  readonly db: EntityManager;

  constructor(
    dataSource: DataSource,
    @Inject(CONFIG) readonly config: Config,
    @Inject(LOGGER) readonly logger: Logger,
    private readonly modules: ModuleRef,
  ) {
    this.db = dataSource.manager;
  }

  /** The provider of this class or token, from any module. */
  provider<T>(token: Type<T> | symbol): T {
    return this.modules.get<T>(token, { strict: false });
  }
}
