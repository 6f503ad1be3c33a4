/** The description of all routes: /openapi.json for machines, /docs for people. */
import { Type } from 'typebox'
import type { Language } from '#platform/errors'
import { answerPrepared, type PreparedText, prepareText, type Route } from '#platform/http'
import { openApiOf } from '#platform/openapi'
import { anyObject, closed, oneOf } from '#platform/schema'
import { type DocsApp, route } from './app.ts'
import { contentSecurityPolicy, pageOf } from './page.ts'

const PageQuery = Type.Object(
  {
    lang: Type.Optional({
      ...oneOf('fa', 'en'),
      description: 'Without it, as Accept-Language prefers.',
      'x-description-fa': 'بدون آن، زبانی که `Accept-Language` ترجیح دهد.',
    }),
  },
  closed,
)

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // A page of strangers that opens this page in a window has no handle on that window: it cannot navigate it elsewhere.
  'cross-origin-opener-policy': 'same-origin',
}

/** The description of the given routes: for machines at /openapi.json, for people at /docs. */
export function docs(described: readonly Route[]): Route<DocsApp>[] {
  const own: Route<DocsApp>[] = []
  const all = (): Route[] => [...described, ...own]
  const page = cachedPerLanguage((app, language: Language) =>
    prepareText(pageOf(all(), app.config.baseUrl, language), 'text/html; charset=utf-8'),
  )
  const document = cachedPerLanguage((app) =>
    prepareText(JSON.stringify(openApiOf(all(), app.config.baseUrl)), 'application/json; charset=utf-8'),
  )
  own.push(
    route({
      method: 'GET',
      path: '/openapi.json',
      operation: 'docs.openapi',
      scope: 'public',
      summary: { en: 'This API as OpenAPI 3.1.0.', fa: 'همین API به شکل OpenAPI 3.1.0.' },
      reply: { 200: anyObject() },
      errors: [],
      handle: async (ask) => answerPrepared(ask, await document(ask.app, 'en')),
    }),
    route({
      method: 'GET',
      path: '/docs',
      operation: 'docs.page',
      scope: 'public',
      summary: { en: 'This API as a page to read.', fa: 'همین API به شکل یک صفحهٔ خواندنی.' },
      query: PageQuery,
      reply: { 200: 'text/html' },
      errors: [],
      handle: async (ask) => {
        const language = ask.query.lang ?? ask.language
        const headers = { ...pageHeaders, 'content-language': language }
        for (const [name, value] of Object.entries(headers)) ask.setHeader(name, value)
        return answerPrepared(ask, await page(ask.app, language), ['accept-language'])
      },
    }),
  )
  return own
}

/** Caches documents that depend only on the app and the language; they are rendered at the first request. */
function cachedPerLanguage(make: (app: DocsApp, language: Language) => Promise<PreparedText>) {
  const made = new WeakMap<DocsApp, Partial<Record<Language, Promise<PreparedText>>>>()
  return (app: DocsApp, language: Language): Promise<PreparedText> => {
    const own = made.get(app) ?? {}
    made.set(app, own)
    own[language] ??= make(app, language)
    return own[language]
  }
}
