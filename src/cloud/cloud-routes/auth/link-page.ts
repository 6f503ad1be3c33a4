/** The page of a mailed link. It stands at the API, since answers of clouds are never pages; nobody but the platform can write into it. */
import { createHash } from 'node:crypto'
import { findLink, followLink, isRedirectMissing, type OpenLink } from '#cloud/app-users'
import { Failure, type Language } from '#platform/errors'
import { escapeHtml } from '#platform/html'
import { HttpAnswer, type RequestContext } from '#platform/http'
import type { AuthRoutesApp } from '../app.ts'
import { leadsTo, notices, type PageTexts, pages } from './phrases.ts'
import type { LinkParams } from './schema.ts'

type LinkContext = RequestContext<AuthRoutesApp, unknown, unknown, LinkParams>

/** Shows the page and does nothing else, since scanners of mails open links. */
export async function showLink(context: LinkContext): Promise<HttpAnswer> {
  const { app, params, language } = context
  const found = await findLink(app, params.ref, params.token)
  if (!found) return page(context, 404, notices.spent[language])
  if (isRedirectMissing(found)) return page(context, 409, notices.nowhere[language])
  return page(context, 200, textsOf(found, language), found.redirectTo)
}

export async function pressLink(context: LinkContext): Promise<HttpAnswer> {
  const { app, params, language, headers } = context
  // A form on an attacker's page could sign its visitor in to the attacker's account: such a request gets the page with the button.
  if (/^(?:cross|same)-site$/.test(String(headers['sec-fetch-site'] ?? ''))) return showLink(context)
  const found = await findLink(app, params.ref, params.token)
  if (!found) return page(context, 404, notices.spent[language])
  if (isRedirectMissing(found)) return page(context, 409, notices.nowhere[language])
  try {
    const location = await followLink(app, found)
    if (location === null) return page(context, 200, notices.done[language])
    context.setHeader('location', location)
    return page(context, 303, notices.done[language])
  } catch (error) {
    return page(context, 404, notices[noticeOf(error)][language])
  }
}

/** The notice for a link that was used at this very moment, or whose address another user has by now. */
function noticeOf(error: unknown): 'blocked' | 'spent' {
  const code = error instanceof Failure ? error.code : undefined
  if (code === 'APP_USER_BLOCKED') return 'blocked'
  if (code === 'APP_USER_LINK_INVALID' || code === 'APP_USER_EMAIL_TAKEN') return 'spent'
  throw error
}

const textsOf = ({ purpose }: OpenLink, language: Language): PageTexts =>
  pages[purpose as keyof typeof pages][language]

const style = `
  :root { color-scheme: light dark; --page: #f1f4f5; --card: #fff; --text: #1c2429; --quiet: #5b6770; --accent: #0f766e; --on: #fff }
  @media (prefers-color-scheme: dark) { :root { --page: #11161b; --card: #182027; --text: #e3e8ec; --quiet: #9aa7b2; --accent: #56c8bf; --on: #10201f } }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--page); color: var(--text); font: 16px/1.8 Vazirmatn, Tahoma, system-ui, sans-serif }
  main { box-sizing: border-box; width: min(30rem, 100vw - 2rem); padding: 2rem; border-radius: 1rem; background: var(--card) }
  h1 { margin: 0 0 .5rem; font-size: 1.25rem }
  p { margin: .5rem 0 }
  .to { color: var(--quiet); font-size: .875rem }
  bdi { overflow-wrap: anywhere; font-weight: bold }
  button { margin-top: 1rem; padding: .6rem 1.6rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--on); font: inherit; font-weight: bold; cursor: pointer }
`

/** There is no `form-action`: browsers apply it to redirects of the form, too. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
}

function page(
  context: LinkContext,
  status: number,
  { title, says, button }: PageTexts,
  redirectTo: string | null = null,
): HttpAnswer {
  const { language } = context
  for (const [name, value] of Object.entries({ ...pageHeaders, 'content-language': language }))
    context.setHeader(name, value)
  const host = redirectTo === null ? undefined : new URL(redirectTo).host
  const to =
    host === undefined
      ? ''
      : `<p class="to">${leadsTo[language]} <bdi dir="ltr">${escapeHtml(host)}</bdi></p>`
  const form =
    button === undefined
      ? ''
      : `<form method="post" enctype="multipart/form-data"><button>${button}</button></form>`
  const direction = language === 'fa' ? 'rtl' : 'ltr'
  const html = `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1><p>${says}</p>${to}${form}</main></body></html>`
  return new HttpAnswer(status, html, 'text/html; charset=utf-8')
}
