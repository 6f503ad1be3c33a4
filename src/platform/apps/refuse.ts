/** Refusals by the second listener itself: a small page for people, JSON for programs. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorBody, errorHeaders, type Failure } from '#platform/errors'
import { languageOf, prefersByName } from '#platform/http'
import { uuidv7 } from '#platform/ids'

export function refuse(message: IncomingMessage, response: ServerResponse, failure: Failure): void {
  const id = uuidv7()
  const isPage = prefersByName(message.headers.accept, 'text/html', 'application/json')
  const body = isPage
    ? pageOf(failure, id)
    : JSON.stringify(errorBody(failure, id, languageOf(message.headers)))
  // After a doubtful request no second one is read from its connection, whatever follows in the body.
  if (failure.status === 400 || failure.status === 503) response.setHeader('connection', 'close')
  response.writeHead(failure.status, {
    ...errorHeaders(failure),
    'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
  })
  response.end(message.method === 'HEAD' ? undefined : body)
}

function pageOf(failure: Failure, id: string): string {
  const [fa, en] = (['fa', 'en'] as const).map((language) =>
    escaped(errorBody(failure, id, language).error.message),
  )
  return `<!doctype html>
<html lang="fa" dir="rtl">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${failure.status}</title>
<style>body{font-family:Vazirmatn,Tahoma,sans-serif;line-height:1.9;max-width:36rem;margin:18vh auto;padding:0 1.5rem}</style>
<p>${fa}</p>
<p lang="en" dir="ltr">${en}</p>
</html>
`
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
