import { Global, Module } from '@nestjs/common';
import { RunsModule } from '../../executions/runs/runs.module.js';
import { shownKinds } from '../../workflows/definition/kinds.js';
import { routesOf } from './kind-routes.js';
import { KindsService } from './kinds.service.js';

/** What is derived of kinds: their routes, and the service by which pages read and do the same. */
@Global()
@Module({
  imports: [RunsModule],
  controllers: shownKinds.flatMap(routesOf),
  providers: [KindsService],
  exports: [KindsService],
})
export class KindsModule {}
