import type { TSchema } from 'typebox'
import { declarationOf } from '#platform/errors'
import type { Route } from '#platform/http'
import { codesOf, formOf, idempotencyKey, repliesWithParts } from '#platform/openapi'
import { curlOf } from './example.ts'
import { fieldList, fieldsOf } from './fields.ts'
import { type Content, code, type Html, html, joined, prose } from './html.ts'
import type { Say } from './say.ts'

/** Everything about one route. */
export function routeSection(say: Say, route: Route, baseUrl: string): Html {
  return html`<article class="route" id="${route.operation}" data-find="${`${route.method} ${route.path} ${route.operation} ${route.summary.en} ${route.summary.fa}`.toLowerCase()}">
<h3><a href="#${route.operation}"><span class="method ${route.method.toLowerCase()}">${route.method}</span> <code dir="ltr" class="path">${pathOf(route)}</code></a></h3>
<p class="summary">${say.of(route.summary)}</p>
${facts(say, route)}
${part(say('pathParameters'), route.params && fieldsOf(say, route.params))}
${part(say('queryParameters'), route.query && fieldsOf(say, route.query))}
${part(say('headerParameters'), headers(say, route))}
${part(say('body'), route.body && [fieldsOf(say, route.body), others(say, route)])}
${part(say('form'), route.upload && fieldsOf(say, formOf(route.upload)))}
${part(say('otherBody'), route.otherBody && fieldsOf(say, route.otherBody))}
${part(say('example'), pre(say, curlOf(route, baseUrl)))}
${part(
  say('answer'),
  Object.entries(repliesWithParts(route)).map(([status, schema]) => reply(say, status, schema, route)),
)}
${part(say('failures'), failures(route))}
</article>`
}

/** Long paths break after a slash, not inside a word. */
const pathOf = (route: Route): Content =>
  joined(route.path.split('/'), '/').map((piece) => (piece === '/' ? html`/<wbr>` : piece))

/** Something to copy. */
export const pre = (say: Say, text: string): Html =>
  html`<pre dir="ltr" tabindex="0" data-copy="${say('copy')}" data-copied="${say('copied')}"><code>${text}</code></pre>`

const part = (title: string, content: Content): Content => content && html`<h4>${title}</h4>${content}`

function facts(say: Say, route: Route): Html {
  const { scope: needed, orScope: other } = route
  const own = needed === 'public' ? say('publicRoute') : needed === 'any' ? say('anyScope') : code(needed)
  const scope = other ? html`${own}${say('or')}${code(other)}` : own
  return html`<dl class="facts"><div><dt>${say('scope')}</dt><dd>${scope}</dd></div>
<div><dt>${say('operation')}</dt><dd>${code(route.operation)}</dd></div>
${route.bodyLimit !== undefined && html`<div><dt>${say('bodyLimit')}</dt><dd>${say.number(route.bodyLimit)} ${say('bytes')}</dd></div>`}</dl>`
}

function headers(say: Say, route: Route): Content {
  const named = { ...(route.idempotent && { 'Idempotency-Key': idempotencyKey }), ...route.headers }
  return Object.keys(named).length > 0 && fieldList(say, named, route.requiredHeaders ?? [])
}

const others = (say: Say, route: Route): Html =>
  html`<p class="note">${prose(say(route.unknownFields === 'tolerate' ? 'tolerates' : 'refuses'))}</p>`

function reply(say: Say, status: string, schema: TSchema | string, route: Route): Html {
  const type = typeof schema === 'string' ? schema : 'application/json'
  const stream = route.streams && html` ${say('orStream')} ${code('text/event-stream')}`
  const heading = html`${code(status)} ${code(type)}${stream}`
  const fields = typeof schema === 'string' ? '' : fieldsOf(say, schema).text
  if (typeof schema === 'string' || fields === '') return html`<p>${heading}</p>`
  return html`<details class="reply"><summary>${heading}</summary>${fieldsOf(say, schema)}</details>`
}

function failures(route: Route): Html {
  const codes = codesOf(route).toSorted(
    (a, b) => declarationOf(a).status - declarationOf(b).status || a.localeCompare(b),
  )
  return html`<ul class="codes">${codes.map(
    (name) =>
      html`<li><a href="#${name}"><span class="status">${declarationOf(name).status}</span> <code dir="ltr">${name}</code></a></li>`,
  )}</ul>`
}
