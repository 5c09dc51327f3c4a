import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../config.js';
import { Health } from './health.js';
import { HealthController } from './health.controller.js';

@Module({
  controllers: [HealthController],
  providers: [
    {
      provide: Health,
      inject: [DataSource, CONFIG],
      useFactory: (dataSource: DataSource, { redisUrl }: Config) => new Health(dataSource, redisUrl),
    },
  ],
})
export class ObservabilityModule {}
