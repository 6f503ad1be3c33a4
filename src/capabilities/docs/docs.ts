import { type Route, route } from '#platform/http'
import { Answer } from '#platform/http'
import { openApiOf } from '#platform/openapi'
import { anyObject } from '#platform/schema'
import { pageOf } from './page.ts'

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
      reply: { 200: 'text/html' },
      errors: [],
      handle: ({ app, language }) => new Answer(200, pageOf(all(), app.config.baseUrl, language), 'text/html; charset=utf-8'),
    }),
  )
  return own
}
