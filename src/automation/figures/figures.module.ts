import { Module } from '@nestjs/common';
import { FiguresController } from './figures.controller.js';
import { FiguresService } from './figures.service.js';

@Module({ controllers: [FiguresController], providers: [FiguresService], exports: [FiguresService] })
export class FiguresModule {}
