/** The reference: one page that needs nothing but itself. */
import { createHash } from 'node:crypto'
import { declarationOf, declaredCodes, errorBody, Failure, type Language, sentenceOf } from '#platform/errors'
import type { Route } from '#platform/http'
import { contractVersion } from '#platform/openapi'
import { curlOf } from './example.ts'
import { Html, html, prose } from './html.ts'
import { conventions, groups } from './phrases.ts'
import { pre, routeSection } from './route-section.ts'
import { type Say, sayIn } from './say.ts'
import { script } from './script.ts'
import { style } from './style.ts'

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

/** The routes for people, in Persian (right to left) or English. `baseUrl` is what clients type, without a slash at the end. */
export function pageOf(routes: readonly Route[], baseUrl: string, language: Language): string {
  const say = sayIn(language)
  const tags = [...new Set(routes.map(tagOf))]
  const page = html`<!doctype html>
<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${say('title')}</title>
<link rel="icon" href="${icon}">
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#text">${say('skip')}</a>
${header(say, baseUrl)}
<div class="columns">
${contents(say, routes, tags)}
<main id="text">
${conventionsSection(say, routes, baseUrl)}
<h2 id="routes">${say('routes')}</h2>
<p id="nothing" hidden>${say('nothingFound')}</p>
${tags.map((tag) => group(say, tag, routes, baseUrl))}
${errorsSection(say)}
</main>
</div>
<script>${new Html(script)}</script>
</body>
</html>`
  return page.text
}

const tagOf = (route: Route): string => route.operation.split('.')[0]!

const nameOf = (say: Say, tag: string): string => (groups[tag] ? say.of(groups[tag]) : tag)

function header(say: Say, baseUrl: string): Html {
  const other =
    say.language === 'fa'
      ? { code: 'en', dir: 'ltr', name: 'English' }
      : { code: 'fa', dir: 'rtl', name: 'فارسی' }
  return html`<header>
<div class="top"><h1>${say('title')}</h1><a class="language" href="?lang=${other.code}" hreflang="${other.code}" lang="${other.code}" dir="${other.dir}">${other.name}</a></div>
<p class="lead">${say('lead')}</p>
<dl class="facts"><div><dt>${say('address')}</dt><dd><code dir="ltr">${baseUrl}</code></dd></div>
<div><dt>${say('contract')}</dt><dd><code dir="ltr">${contractVersion}</code></dd></div>
<div><dt>${say('machine')}</dt><dd><a href="/openapi.json"><code dir="ltr">/openapi.json</code></a></dd></div></dl>
</header>`
}

function contents(say: Say, routes: readonly Route[], tags: string[]): Html {
  const link = (route: Route): Html =>
    html`<li><a href="#${route.operation}" dir="ltr"><span class="method ${route.method.toLowerCase()}">${route.method}</span> <code>${route.path}</code></a></li>`
  return html`<nav aria-label="${say('contents')}">
<input type="search" id="filter" placeholder="${say('filter')}" aria-label="${say('filter')}" autocomplete="off" hidden>
<ul class="chapters">${conventions.map(({ id, title }) => html`<li><a href="#${id}">${say.of(title)}</a></li>`)}</ul>
${tags.map((tag) => html`<p class="group"><a href="#group-${tag}">${nameOf(say, tag)}</a></p><ul class="routes">${routes.filter((route) => tagOf(route) === tag).map(link)}</ul>`)}
<p class="group"><a href="#errors">${say('failures')}</a></p>
</nav>`
}

function conventionsSection(say: Say, routes: readonly Route[], baseUrl: string): Html {
  const first = routes.find((route) => route.body && route.streams) ?? routes[0]
  return html`${first && html`<section class="convention first"><h2>${say('firstCall')}</h2>${pre(say, `export KHERAD_KEY=khr_…\n${curlOf(first, baseUrl)}`)}</section>`}
${conventions.map(
  ({ id, title, text }) => html`<section id="${id}" class="convention"><h2>${say.of(title)}</h2>
${text[say.language].map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
${id === 'error-body' && pre(say, errorExample(say.language))}</section>`,
)}`
}

/** As the server itself would write it. */
function errorExample(language: Language): string {
  const failure = new Failure('UNKNOWN_FIELD', { field: 'idempotency-key' }, { param: 'idempotency-key' })
  return JSON.stringify(errorBody(failure, '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90', language), null, 2)
}

function group(say: Say, tag: string, routes: readonly Route[], baseUrl: string): Html {
  return html`<section class="capability" id="group-${tag}" aria-labelledby="title-${tag}"><h2 id="title-${tag}">${nameOf(say, tag)}</h2>
${routes.filter((route) => tagOf(route) === tag).map((route) => routeSection(say, route, baseUrl))}</section>`
}

function errorsSection(say: Say): Html {
  const all = declaredCodes().toSorted(
    (a, b) => declarationOf(a).status - declarationOf(b).status || a.localeCompare(b),
  )
  return html`<section id="errors" aria-labelledby="title-errors"><h2 id="title-errors">${say('failures')}</h2>
<dl class="errors">${all.map(
    (
      name,
    ) => html`<div id="${name}"><dt><span class="status">${declarationOf(name).status}</span> <code dir="ltr">${name}</code></dt>
<dd>${prose(sentenceOf(name, say.language))}</dd></div>`,
  )}</dl></section>`
}
