/** A mail, as one of its recipients has it. */
export type Message = {
  /** Counts up from 1. */
  id: number;
  to: string;
  from: string;
  subject: string;
  text: string;
  /** Empty for a mail without HTML. */
  html: string;
  receivedAt: Date;
};

export type Messages = {
  add(message: Omit<Message, 'id'>): void;
  /** Newest first. */
  list(): readonly Message[];
  find(id: number): Message | undefined;
};

/** Keeps the newest mails in memory. They end with the process. */
export function keepMessages(atMost: number): Messages {
  let count = 0;
  const kept: Message[] = [];
  return {
    add: (message) => {
      count += 1;
      kept.unshift({ id: count, ...message });
      kept.length = Math.min(kept.length, atMost);
    },
    list: () => kept,
    find: (id) => kept.find((message) => message.id === id),
  };
}
