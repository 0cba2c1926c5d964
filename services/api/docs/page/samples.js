import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { element } from './element.js';
import { requestOf } from './request.js';
import { sampleLanguages, sampleOf } from './sample.ts';
import { words } from './words.js';

const key = 'docs-sample-language';
for (const [name, language] of Object.entries({ bash, php, python, typescript }))
  hljs.registerLanguage(name, language);

/** Shows every request in the chosen language, as its form is filled in. */
export function showSamples() {
  const forms = [...document.querySelectorAll('form.try-it')];
  let chosen = sampleLanguages.find(({ id }) => id === sessionStorage.getItem(key)) ?? sampleLanguages[0];
  const choices = forms.map((form) => {
    const choice = select(chosen.id);
    form.previousElementSibling.before(choice);
    choice.addEventListener('change', () => choose(choice.value));
    form.addEventListener('input', () => show(form, chosen));
    return choice;
  });
  const choose = (id) => {
    chosen = sampleLanguages.find((one) => one.id === id);
    sessionStorage.setItem(key, id);
    for (const choice of choices) choice.value = id;
    for (const form of forms) show(form, chosen);
  };
  document.querySelector('#token')?.addEventListener('input', () => choose(chosen.id));
  choose(chosen.id);
}

function select(id) {
  const options = sampleLanguages.map(({ id: value, title }) => element('option', { value }, [title]));
  const choice = element('select', { className: 'sample-language', ariaLabel: words.language }, options);
  choice.value = id;
  return choice;
}

function show(form, language) {
  const request = requestOf(form);
  if ('token' in form.dataset) request.headers.Authorization ??= 'Bearer YOUR_TOKEN';
  const { service, base: path } = document.body.dataset;
  const base = service ?? location.origin + path;
  const source = sampleOf(language, { ...request, base });
  const code = form.parentElement.querySelector('pre.code code');
  code.innerHTML = hljs.highlight(source, { language: language.colours }).value;
}
