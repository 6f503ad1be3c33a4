/**
 * Pages of our own on the hosts of sites: small, without anything from outside, and never kept by a cache. A client that takes no page gets their text
 * alone.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { takesPage } from './conditions.ts'
import { type NoticeText, noticePhrases } from './phrases.ts'

export type NoticeName = keyof typeof noticePhrases

const statuses: Record<NoticeName, number> = {
  malformed: 400,
  missing: 404,
  unpublished: 404,
  method: 405,
  refusedType: 406,
  takenDown: 451,
  usedUp: 503,
  unavailable: 503,
}

const style = `
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 1.05rem/1.9 Vazirmatn, Tahoma, system-ui, sans-serif; background: Canvas; color: CanvasText; }
main { max-width: 34rem; padding: 2rem 1.5rem; }
h1 { font-size: 1.45rem; line-height: 1.6; margin: 0 0 .4rem; }
p { margin: 0; }
section + section { margin-top: 2.2rem; padding-top: 1.8rem; border-top: 1px solid color-mix(in srgb, CanvasText 18%, Canvas); font-size: .95em; }
`
const styleHash = createHash('sha256').update(style).digest('base64')

/** Nothing may be loaded, framed, or sent from such a page. */
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const pageOf = ({ title, text }: NoticeText): string => `<!doctype html>
<html lang="fa" dir="rtl">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title.fa}</title>
<style>${style}</style>
</head>
<body>
<main>
<section><h1>${title.fa}</h1><p>${text.fa}</p></section>
<section lang="en" dir="ltr"><h1>${title.en}</h1><p>${text.en}</p></section>
</main>
</body>
</html>
`

const textOf = ({ title, text }: NoticeText): string => `${title.fa}\n${text.fa}\n\n${title.en}\n${text.en}\n`

interface PreparedNotice {
  body: Buffer
  headers: readonly string[]
}

function prepare(mediaType: string, text: string): PreparedNotice {
  const body = Buffer.from(text)
  const headers = [
    ...[
      'Content-Type',
      `${mediaType}; charset=utf-8`,
      'Content-Length',
      String(body.length),
      'Cache-Control',
      'no-store',
    ],
    ...['X-Content-Type-Options', 'nosniff', 'Content-Security-Policy', policy, 'X-Frame-Options', 'DENY'],
    ...['Referrer-Policy', 'no-referrer', 'X-Robots-Tag', 'noindex'],
  ]
  return { body, headers }
}

const notices = new Map(
  (Object.keys(statuses) as NoticeName[]).map((name) => {
    const phrases = noticePhrases[name]
    const page = prepare('text/html', pageOf(phrases))
    return [name, { page, text: prepare('text/plain', textOf(phrases)) }]
  }),
)

/** The bytes of a notice, for the day's allowance. */
export const noticeBytes = 2_500

export function sendNotice(
  { message, response }: { message: IncomingMessage; response: ServerResponse },
  name: NoticeName,
  more: readonly string[] = [],
): void {
  const { body, headers } = notices.get(name)![takesPage(message) ? 'page' : 'text']
  response.writeHead(statuses[name], more.length === 0 ? (headers as string[]) : [...headers, ...more])
  response.end(message.method === 'HEAD' ? undefined : body)
}
