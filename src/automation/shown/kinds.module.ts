import { Global, Module } from '@nestjs/common';
import { RunsModule } from '../../executions/runs/runs.module.js';
import { shownKinds } from '../../workflows/definition/kinds.js';
import { routesOf } from './kind-routes.js';
import { KindsService } from './kinds.service.js';

/** The routes of all kinds, and the service through which pages show and change the same elements. */
@Global()
@Module({
  imports: [RunsModule],
  controllers: shownKinds.flatMap(routesOf),
  providers: [KindsService],
  exports: [KindsService],
})
export class KindsModule {}
