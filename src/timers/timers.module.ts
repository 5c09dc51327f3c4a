import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TimerEntity } from '../entities/timer.entity.js';
import { TimersController } from './timers.controller.js';
import { TimersService } from './timers.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([TimerEntity])],
  controllers: [TimersController],
  providers: [TimersService],
  exports: [TimersService],
})
export class TimersModule {}
