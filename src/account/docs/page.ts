/** The reference as one self-contained page. */
import { createHash } from 'node:crypto'
import { declarationOf, declaredCodes, errorBody, Failure, type Language, sentenceOf } from '#platform/errors'
import { Html, html } from '#platform/html'
import type { Route } from '#platform/http'
import { contractVersion } from '#platform/openapi'
import { callOf } from './example.ts'
import { prose } from './html.ts'
import { conventions, groups } from './phrases.ts'
import { pre, routeSection } from './route-section.ts'
import { script } from './script.ts'
import { style } from './style.ts'
import { type Translator, translatorFor } from './translator.ts'

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Nothing is loaded and nothing runs but the page's own style and script. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const icon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%230b7a75%22/%3E%3Cpath d=%22M8 3l5 5-5 5-5-5z%22 fill=%22%23fff%22/%3E%3C/svg%3E'

/** The page of the routes, in Persian (right to left) or English. `baseUrl` is what clients type, without a slash at the end. */
export function pageOf(routes: readonly Route[], baseUrl: string, language: Language): string {
  const translate = translatorFor(language)
  const tags = [...new Set(routes.map(tagOf))]
  const page = html`<!doctype html>
<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${translate('title')}</title>
<link rel="icon" href="${icon}">
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#text">${translate('skip')}</a>
${header(translate, baseUrl)}
<div class="columns">
${contents(translate, routes, tags)}
<main id="text">
${conventionsSection(translate, routes, baseUrl)}
<h2 id="routes">${translate('routes')}</h2>
<p id="nothing" hidden>${translate('nothingFound')}</p>
${tags.map((tag) => group(translate, tag, routes, baseUrl))}
${errorsSection(translate)}
</main>
</div>
<script>${new Html(script)}</script>
</body>
</html>`
  return page.text
}

const tagOf = (route: Route): string => route.operation.split('.')[0]!

const nameOf = (translate: Translator, tag: string): string => (groups[tag] ? translate.of(groups[tag]) : tag)

function header(translate: Translator, baseUrl: string): Html {
  const other =
    translate.language === 'fa'
      ? { code: 'en', dir: 'ltr', name: 'English' }
      : { code: 'fa', dir: 'rtl', name: 'فارسی' }
  return html`<div class="bar"><a class="home" href="/">${translate('console')}</a></div>
<header>
<div class="top"><h1>${translate('title')}</h1><a class="language" href="?lang=${other.code}" hreflang="${other.code}" lang="${other.code}" dir="${other.dir}">${other.name}</a></div>
<p class="lead">${translate('lead')}</p>
<dl class="facts"><div><dt>${translate('address')}</dt><dd><code dir="ltr">${baseUrl}</code></dd></div>
<div><dt>${translate('contract')}</dt><dd><code dir="ltr">${contractVersion}</code></dd></div>
<div><dt>${translate('machine')}</dt><dd><a href="/openapi.json"><code dir="ltr">/openapi.json</code></a></dd></div></dl>
</header>`
}

function contents(translate: Translator, routes: readonly Route[], tags: string[]): Html {
  const link = (route: Route): Html =>
    html`<li><a href="#${route.operation}" dir="ltr"><span class="method ${route.method.toLowerCase()}">${route.method}</span> <code>${route.path}</code></a></li>`
  return html`<nav aria-label="${translate('contents')}">
<input type="search" id="filter" placeholder="${translate('filter')}" aria-label="${translate('filter')}" autocomplete="off" hidden>
<ul class="chapters">${conventions.map(({ id, title }) => html`<li><a href="#${id}">${translate.of(title)}</a></li>`)}</ul>
${tags.map((tag) => html`<p class="group"><a href="#group-${tag}">${nameOf(translate, tag)}</a></p><ul class="routes">${routes.filter((route) => tagOf(route) === tag).map(link)}</ul>`)}
<p class="group"><a href="#errors">${translate('failures')}</a></p>
</nav>`
}

function conventionsSection(translate: Translator, routes: readonly Route[], baseUrl: string): Html {
  const first = routes.find((route) => route.body && route.streams) ?? routes[0]
  return html`${first && html`<section class="convention first"><h2>${translate('firstCall')}</h2>${pre(translate, `export KHERAD_KEY=khr_…\n${callOf(first, baseUrl)}`)}</section>`}
${conventions.map(
  ({ id, title, text }) => html`<section id="${id}" class="convention"><h2>${translate.of(title)}</h2>
${text[translate.language].map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
${id === 'error-body' && pre(translate, errorExample(translate.language))}</section>`,
)}`
}

/** An error exactly as the server writes it. */
function errorExample(language: Language): string {
  const failure = new Failure('UNKNOWN_FIELD', { field: 'idempotency-key' }, { param: 'idempotency-key' })
  return JSON.stringify(errorBody(failure, '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90', language), null, 2)
}

function group(translate: Translator, tag: string, routes: readonly Route[], baseUrl: string): Html {
  return html`<section class="capability" id="group-${tag}" aria-labelledby="title-${tag}"><h2 id="title-${tag}">${nameOf(translate, tag)}</h2>
${routes.filter((route) => tagOf(route) === tag).map((route) => routeSection(translate, route, baseUrl))}</section>`
}

function errorsSection(translate: Translator): Html {
  const all = declaredCodes().toSorted(
    (a, b) => declarationOf(a).status - declarationOf(b).status || a.localeCompare(b),
  )
  return html`<section id="errors" aria-labelledby="title-errors"><h2 id="title-errors">${translate('failures')}</h2>
<dl class="errors">${all.map(
    (
      name,
    ) => html`<div id="${name}"><dt><span class="status">${declarationOf(name).status}</span> <code dir="ltr">${name}</code></dt>
<dd>${prose(sentenceOf(name, translate.language))}</dd></div>`,
  )}</dl></section>`
}
