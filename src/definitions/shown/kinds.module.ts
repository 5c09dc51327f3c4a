import { type DynamicModule, Global, Module } from '@nestjs/common';
import { RunsModule } from '../../executions/runs/runs.module.js';
import { type ShownKind } from '../../workspace/shown-kind.js';
import { routesOf } from './kind-routes.js';
import { KindsService } from './kinds.service.js';

/** What is derived of kinds: their routes, and the service by which pages read and do the same. */
@Global()
@Module({ imports: [RunsModule], providers: [KindsService], exports: [KindsService] })
export class KindsModule {
  static of(kinds: readonly ShownKind[]): DynamicModule {
    return { module: KindsModule, controllers: kinds.flatMap(routesOf) };
  }
}
