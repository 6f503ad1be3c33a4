import type { TSchema } from 'typebox'
import { declarationOf } from '#platform/errors'
import { type Html, type HtmlContent, html } from '#platform/html'
import type { Route } from '#platform/http'
import { codesOf, formOf, idempotencyKey, repliesWithParts } from '#platform/openapi'
import { callOf } from './example.ts'
import { fieldList, fieldsOf } from './fields.ts'
import { code, isolated, joined, prose } from './html.ts'
import type { Translator } from './translator.ts'

/** The section about one route. */
export function routeSection(translate: Translator, route: Route, baseUrl: string): Html {
  return html`<article class="route" id="${route.operation}" data-find="${`${route.method} ${route.path} ${route.operation} ${route.summary.en} ${route.summary.fa}`.toLowerCase()}">
<h3><a href="#${route.operation}"><span class="method ${route.method.toLowerCase()}">${route.method}</span> <code dir="ltr" class="path">${pathOf(route)}</code></a></h3>
<p class="summary">${prose(translate.of(route.summary))}</p>
${facts(translate, route)}
${part(translate('pathParameters'), route.params && fieldsOf(translate, route.params))}
${part(translate('queryParameters'), route.query && fieldsOf(translate, route.query))}
${part(translate('headerParameters'), headers(translate, route))}
${part(translate('body'), route.body && [fieldsOf(translate, route.body), others(translate, route)])}
${part(translate('form'), route.upload && fieldsOf(translate, formOf(route.upload)))}
${part(translate('otherBody'), route.otherBody && fieldsOf(translate, route.otherBody))}
${part(translate('example'), pre(translate, callOf(route, baseUrl)))}
${part(translate('answer'), [
  route.socket && switching(translate),
  ...Object.entries(repliesWithParts(route)).map(([status, schema]) =>
    reply(translate, status, schema, route),
  ),
])}
${part(translate('failures'), failures(route))}
</article>`
}

/** The path, which breaks after a slash where it is long, not inside a word. */
const pathOf = (route: Route): HtmlContent =>
  joined(route.path.split('/'), '/').map((piece) => (piece === '/' ? html`/<wbr>` : piece))

/** A text with a button that copies it. */
export const pre = (translate: Translator, text: string): Html =>
  html`<pre dir="ltr" tabindex="0" data-copy="${translate('copy')}" data-copied="${translate('copied')}"><code>${isolated(text)}</code></pre>`

const part = (title: string, content: HtmlContent): HtmlContent =>
  content && html`<h4>${title}</h4>${content}`

function facts(translate: Translator, route: Route): Html {
  const { scope: needed, orScope: other } = route
  const own =
    needed === 'public' ? translate('publicRoute') : needed === 'any' ? translate('anyScope') : code(needed)
  const scope = other ? html`${own}${translate('or')}${code(other)}` : own
  return html`<dl class="facts"><div><dt>${translate('scope')}</dt><dd>${scope}</dd></div>
<div><dt>${translate('operation')}</dt><dd>${code(route.operation)}</dd></div>
${route.host !== undefined && html`<div><dt>${translate('host')}</dt><dd>${code(route.host)}</dd></div>`}${typeof route.bodyLimit === 'number' && html`<div><dt>${translate('bodyLimit')}</dt><dd>${translate.number(route.bodyLimit)} ${translate('bytes')}</dd></div>`}</dl>`
}

function headers(translate: Translator, route: Route): HtmlContent {
  const named = { ...(route.idempotent && { 'Idempotency-Key': idempotencyKey }), ...route.headers }
  return Object.keys(named).length > 0 && fieldList(translate, named, route.requiredHeaders ?? [])
}

const others = (translate: Translator, route: Route): Html =>
  html`<p class="note">${prose(translate(route.unknownFields === 'tolerate' ? 'tolerates' : 'refuses'))}</p>`

function reply(translate: Translator, status: string, schema: TSchema | string, route: Route): Html {
  const json = ['application/json', route.otherTypes].filter((one) => one !== undefined).join(', ')
  const type = typeof schema === 'string' ? schema : json
  const stream = route.streams && html` ${translate('orStream')} ${code('text/event-stream')}`
  const heading = html`${code(status)} ${code(type)}${stream}`
  const fields = typeof schema === 'string' ? '' : fieldsOf(translate, schema).text
  if (typeof schema === 'string' || fields === '') return html`<p>${heading}</p>`
  return html`<details class="reply"><summary>${heading}</summary>${fieldsOf(translate, schema)}</details>`
}

const switching = (translate: Translator): Html => html`<p>${code('101')} ${translate('socket')}</p>`

function failures(route: Route): Html {
  const codes = codesOf(route).toSorted(
    (a, b) => declarationOf(a).status - declarationOf(b).status || a.localeCompare(b),
  )
  return html`<ul class="codes">${codes.map(
    (name) =>
      html`<li><a href="#${name}"><span class="status">${declarationOf(name).status}</span> <code dir="ltr">${name}</code></a></li>`,
  )}</ul>`
}
