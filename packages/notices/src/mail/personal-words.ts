import { momentText } from '@payments/domain/brazilian';
import { roleNames } from '../names.ts';
import type { AccessChange, Origin, PersonalFacts, PersonalNotice } from '../personal.ts';
import type { Rendered, Surroundings } from '../sending.ts';
import { type Content, render } from './layout.ts';

/** The words of letters to the person concerned: the doors to the panel. */

const always = 'O painel de pagamentos envia este aviso sempre, para proteger a sua conta.';

/** @returns the letter's words, in Portuguese. The link stands in them, and nowhere else */
export function renderPersonal(
  notice: PersonalNotice,
  { panelUrl }: Pick<Surroundings, 'panelUrl'>,
): Rendered {
  switch (notice.kind) {
    case 'invitation':
      return render(invitation(notice.facts, notice.link));
    case 'password_reset':
      return render(passwordReset(notice.facts, notice.link));
    case 'access_changed':
      return render(accessChanged(notice.facts, panelUrl));
  }
}

function invitation({ name, until }: PersonalFacts['invitation'], url: string): Content {
  return {
    subject: 'Seu convite para o painel de pagamentos',
    lead: `Olá, ${name}. Você tem uma conta no painel de pagamentos. Defina a sua senha para entrar.`,
    action: { label: 'Definir a senha', url },
    note: `O link vale uma só vez, até ${momentText(new Date(until))}. Não o encaminhe: quem o abre define a sua senha.`,
    footer:
      'Você recebe este e-mail porque alguém criou uma conta para este endereço. Se não esperava por ele, ignore-o.',
  };
}

function passwordReset({ name, until, asked }: PersonalFacts['password_reset'], url: string): Content {
  const why = asked
    ? 'Alguém pediu uma nova senha para a sua conta no painel de pagamentos. Ao defini-la, as suas sessões são encerradas; o segundo fator continua valendo.'
    : 'A administração do painel de pagamentos enviou um link para você definir outra senha. Ao defini-la, as suas sessões são encerradas, e o segundo fator e as chaves de acesso são removidos.';
  return {
    subject: 'Defina uma nova senha para o painel de pagamentos',
    lead: `Olá, ${name}. ${why}`,
    action: { label: 'Definir nova senha', url },
    note: `O link vale uma só vez, até ${momentText(new Date(until))}. Não o encaminhe: quem o abre define a sua senha.`,
    footer: asked
      ? 'Não foi você? Ignore este e-mail: sem o link, nada muda na sua conta.'
      : 'Você recebe este e-mail porque tem uma conta no painel de pagamentos.',
  };
}

function accessChanged(facts: PersonalFacts['access_changed'], panelUrl: string): Content {
  const { name, at, origin } = facts;
  const { subject, said } = wordsOf(facts);
  const isOwn = origin !== null;
  const canSignIn = facts.change !== 'active' || facts.active;
  return {
    subject,
    lead: `Olá, ${name}. ${said}`,
    items: [{ title: momentText(new Date(at)), details: origin === null ? [] : placeOf(origin) }],
    ...(canSignIn && { action: { label: 'Abrir a minha conta', url: `${panelUrl}/panel/my-account` } }),
    note: isOwn
      ? 'Foi você? Então não precisa fazer nada. Não foi? Troque a senha, encerre as sessões em “Minha conta” e avise quem administra o painel.'
      : 'A mudança foi feita por quem administra o painel. Se não a esperava, pergunte a essa pessoa.',
    footer: always,
  };
}

const placeOf = ({ address, browser }: Origin): string[] =>
  [browser ?? [], address === null ? [] : `Endereço ${address}`].flat();

function wordsOf(facts: AccessChange): { subject: string; said: string } {
  switch (facts.change) {
    case 'role': {
      const store = facts.store === null ? '' : `, na loja ${facts.store}`;
      return {
        subject: 'O seu perfil no painel mudou',
        said: `O seu perfil no painel de pagamentos agora é “${roleNames[facts.role]}”${store}.`,
      };
    }
    case 'active':
      return facts.active
        ? {
            subject: 'A sua conta no painel foi ativada',
            said: 'A sua conta no painel de pagamentos foi ativada.',
          }
        : {
            subject: 'A sua conta no painel foi desativada',
            said: 'A sua conta no painel de pagamentos foi desativada: você não consegue mais entrar.',
          };
    case 'key_made':
      return {
        subject: 'Uma chave de API foi criada com a sua conta',
        said: `A chave “${facts.key}” foi criada com a sua conta. Com ela, um programa usa a API de administração.`,
      };
    case 'token_made':
      return {
        subject: 'Um token de loja foi gerado com a sua conta',
        said: `Um token da loja ${facts.store} foi gerado com a sua conta. O token anterior deixou de valer.`,
      };
    default:
      return plainWords[facts.change];
  }
}

type Plain = Exclude<AccessChange, { change: 'role' | 'active' | 'key_made' | 'token_made' }>['change'];

const plainWords: Record<Plain, { subject: string; said: string }> = {
  password: {
    subject: 'A senha da sua conta mudou',
    said: 'A senha da sua conta no painel de pagamentos mudou.',
  },
  second_factor_on: {
    subject: 'Segundo fator ativado na sua conta',
    said: 'A sua conta no painel de pagamentos agora pede os códigos de um aplicativo autenticador.',
  },
  second_factor_off: {
    subject: 'Segundo fator desativado na sua conta',
    said: 'A sua conta no painel de pagamentos não pede mais os códigos do aplicativo autenticador.',
  },
  passkey_added: {
    subject: 'Chave de acesso criada na sua conta',
    said: 'Uma chave de acesso (passkey) foi criada e entra na sua conta no painel de pagamentos.',
  },
  passkey_removed: {
    subject: 'Chave de acesso removida da sua conta',
    said: 'Uma chave de acesso (passkey) da sua conta no painel de pagamentos foi removida.',
  },
  new_place: {
    subject: 'Nova entrada na sua conta',
    said: 'Alguém entrou na sua conta no painel de pagamentos, por um navegador ou endereço que ainda não tinha sido usado nela.',
  },
};
