import { randomUUID } from 'node:crypto';
import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CreatePaymentDto } from './create-payment.dto.ts';
import { Payment } from './payment.entity.ts';

/** The bank, as the bare side calls it. */
export class Psp {
  constructor(readonly putCharge: (txid: string, amount: number) => Promise<string>) {}
}

@Injectable()
export class PaymentsService {
  constructor(
    @InjectRepository(Payment) private readonly payments: Repository<Payment>,
    private readonly psp: Psp,
  ) {}

  async create(storeId: string, dto: CreatePaymentDto): Promise<Payment> {
    const txid = randomUUID().replaceAll('-', '');
    const qrCopyPaste = await this.psp.putCharge(txid, dto.amount);
    return this.payments.save(this.payments.create({ ...dto, storeId, txid, qrCopyPaste }));
  }

  async findOne(storeId: string, id: string): Promise<Payment> {
    const payment = await this.payments.findOne({ where: { id, storeId } });
    if (!payment) throw new NotFoundException('Pagamento não encontrado.');
    return payment;
  }
}
