import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { ClassSerializerInterceptor, ValidationPipe } from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { port, storeToken } from '../listen.ts';
import { AppModule } from './app.module.ts';
import { LoggingInterceptor } from './logging.interceptor.ts';
import { Store } from './store.entity.ts';

/** The usual stack: NestJS, class-validator and TypeORM, as in their guides. */
const app = await NestFactory.create(AppModule);
app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
app.useGlobalInterceptors(new LoggingInterceptor(), new ClassSerializerInterceptor(app.get(Reflector)));
const tokenHash = createHash('sha256').update(storeToken).digest('hex');
await app.get(DataSource).getRepository(Store).insert({ name: 'Loja', tokenHash });
await app.listen(port, '127.0.0.1');
