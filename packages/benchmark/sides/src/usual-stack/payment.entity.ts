import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Store } from './store.entity.ts';

@Entity('payments')
@Index(['storeId', 'createdAt'])
@Index(['storeId', 'status', 'createdAt'])
export class Payment {
  @PrimaryGeneratedColumn('uuid')
  id: string;

  @Column({ default: 'pending' })
  status: string;

  @Column('decimal', { precision: 12, scale: 2, transformer: { to: (value) => value, from: Number } })
  amount: number;

  @ManyToOne(() => Store)
  @JoinColumn({ name: 'store_id' })
  store: Store;

  @Column('uuid', { name: 'store_id' })
  storeId: string;

  @Column('varchar', { length: 35, unique: true })
  txid: string;

  @Column('varchar', { name: 'qr_copy_paste', length: 512 })
  qrCopyPaste: string;

  @Column('varchar', { length: 2048, nullable: true })
  observation: string | null;

  @Column('varchar', { nullable: true })
  email: string | null;

  @Column('varchar', { name: 'webhook_url', nullable: true })
  webhookUrl: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
