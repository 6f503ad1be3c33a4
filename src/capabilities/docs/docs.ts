import { Type } from 'typebox'
import { Answer, type Route, route } from '#platform/http'
import { openApiOf } from '#platform/openapi'
import { anyObject, closed, oneOf } from '#platform/schema'
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
  vary: 'accept-language',
}

/** The description of the given routes: for machines at /openapi.json, for people at /docs. */
export function docs(described: readonly Route[]): Route[] {
  const own: Route[] = []
  const all = (): Route[] => [...described, ...own]
  own.push(
    route({
      method: 'GET',
      path: '/openapi.json',
      operation: 'docs.openapi',
      scope: 'public',
      summary: { en: 'This API as OpenAPI 3.1.0.', fa: 'همین API به شکل OpenAPI 3.1.0.' },
      reply: { 200: anyObject() },
      errors: [],
      handle: ({ app }) => openApiOf(all(), app.config.baseUrl),
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
      handle: (ask) => {
        const language = ask.query.lang ?? ask.language
        const headers = { ...pageHeaders, 'content-language': language }
        for (const [name, value] of Object.entries(headers)) ask.setHeader(name, value)
        return new Answer(200, pageOf(all(), ask.app.config.baseUrl, language), 'text/html; charset=utf-8')
      },
    }),
  )
  return own
}
