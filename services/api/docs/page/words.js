const texts = {
  en: {
    copy: 'Copy',
    copied: 'Copied',
    selected: 'Selected: use Ctrl+C',
    notSent: 'The request could not be sent:',
    image: 'The image of the response',
    language: 'Language of the samples',
    search: 'Search',
    results: 'Results',
    noResult: 'Nothing found',
  },
  'pt-BR': {
    copy: 'Copiar',
    copied: 'Copiado',
    selected: 'Selecionado: use Ctrl+C',
    notSent: 'A requisição não pôde ser enviada:',
    image: 'A imagem da resposta',
    language: 'Linguagem dos exemplos',
    search: 'Buscar',
    results: 'Resultados',
    noResult: 'Nada encontrado',
  },
};

/** The words of the script, in the page's language. */
export const words = texts[document.documentElement.lang];
