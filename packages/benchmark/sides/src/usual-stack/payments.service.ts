import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CreatePaymentDto } from './create-payment.dto.ts';
import { Payment } from './payment.entity.ts';

@Injectable()
export class PaymentsService {
  constructor(@InjectRepository(Payment) private readonly payments: Repository<Payment>) {}

  create(storeId: string, dto: CreatePaymentDto): Promise<Payment> {
    return this.payments.save(this.payments.create({ ...dto, storeId }));
  }

  async findOne(storeId: string, id: string): Promise<Payment> {
    const payment = await this.payments.findOne({ where: { id, storeId } });
    if (!payment) throw new NotFoundException('Pagamento não encontrado.');
    return payment;
  }
}
